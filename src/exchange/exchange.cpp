#include <algorithm>
#include <array>
#include <string>

#include "base/names.hpp"
#include "exchange/engine.hpp"
#include "exchange/engines/all.hpp"

namespace weft::exchange {

exchange::exchange(const exchange_problem& problem)
    : out_(outgoing(problem.from, problem.to, problem.rank)),
      in_(incoming(problem.from, problem.to, problem.rank)),
      rank_(problem.rank),
      element_bytes_(problem.element_bytes),
      from_shape_(problem.from.local_shape(problem.rank)),
      to_shape_(problem.to.local_shape(problem.rank)),
      buffers_(2) {
  for (const auto& m : out_) {
    if (m.peer == rank_) continue;
    ++messages_sent_;
    bytes_sent_ += m.count * static_cast<integer>(element_bytes_);
  }
}

local::buffer_list exchange::sink_buffers(const image& from, const image& to) {
  buffers_[0] = from.mine;
  buffers_[1] = to.mine;
  return buffers_;
}

local::buffer_list exchange::source_buffers(const image& /*from*/, const image& to) {
  buffers_[0] = to.mine;
  return buffers_;
}

std::span<const engine* const> engines() {
  static const std::array<const engine*, 7> table{&alltoallv_engine(), &alltoallw_engine(), &alltoall_engine(),
                                                  &p2p_engine(),       &pipelined_engine(), &streamed_engine(),
                                                  &window_engine()};
  return table;
}

const engine& engine_named(std::string_view name) { return base::named(engines(), name, "exchange engine"); }

int peer_group::position(int rank) const {
  return static_cast<int>(std::lower_bound(members.begin(), members.end(), rank) - members.begin());
}

peer_group group_of(const exchange_problem& problem) {
  const mpi::communicator& all = *problem.communicator;
  const auto idle = idle_grid_axes(problem.from, problem.to);
  const grid& on = problem.from.on();
  // Ranks beyond the grid own nothing; they form a group of their own.
  const auto color_of = [&](int rank) {
    if (rank >= on.size()) return on.size();
    const auto point = on.coordinates(rank);
    int color = 0;
    for (const int g : idle) color = color * on[g] + point[static_cast<std::size_t>(g)];
    return color;
  };
  if (idle.empty()) {
    std::vector<int> members;
    for (int r = 0; r < all.size(); ++r) members.push_back(r);
    return {all, std::move(members)};
  }
  std::string key = on.text() + ":";
  for (const int g : idle) key += std::to_string(g) + ",";
  const int color = color_of(problem.rank);
  std::vector<int> members;
  for (int r = 0; r < all.size(); ++r) {
    if (color_of(r) == color) members.push_back(r);
  }
  return {all.split(key, color), std::move(members)};
}

}  // namespace weft::exchange
