// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "exchange/engines/all.hpp"
#include "exchange/engines/collective_channel.hpp"
#include "exchange/packed.hpp"

namespace weft::exchange {

namespace {

class alltoallv_channel final : public collective_channel<mpi::alltoallv_call> {
 public:
  alltoallv_channel(const exchange_problem& problem, const geometry& g, const company& with)
      : collective_channel({with.groups[0].on, problem.element_bytes, blocks(problem, with.groups[0].who, g.sends),
                            blocks(problem, with.groups[0].who, g.receives),
                            // All ranks must make the same call, so the largest number of any rank decides.
                            with.agreed[0] <= problem.count_limit, problem.count_limit},
                           with),
        held_(g.held),
        on_(with.on) {}
  void start(const image& from, const image& to) override {
    copy_held(held_, from, to, on_);
    exchange(from, to);
  }

 private:
  static std::vector<mpi::block> blocks(const exchange_problem& problem, const rank_group& group,
                                        const std::vector<parcel>& parcels) {
    std::vector<mpi::block> result(group.members.size());
    for (const auto& p : parcels) {
      result[static_cast<std::size_t>(group.position(p.peer))] = {
          p.offset / static_cast<integer>(problem.element_bytes), p.count};
    }
    return result;
  }

  held_copy held_;
  const device::device* on_;
};

/// No count and no displacement is larger.
std::vector<integer> facts(const exchange_problem& problem) {
  return {std::max(problem.from.local_size(problem.rank), problem.to.local_size(problem.rank))};
}

geometry describe(const exchange_problem& problem, int way, std::span<const integer> /*agreed*/) {
  return dense_geometry(problem, way);
}

}  // namespace

constexpr engine alltoallv_engine{.name = "alltoallv",
                                  .any_memory = true,
                                  .facts = facts,
                                  .ways = packed_ways,
                                  .describe = describe,
                                  .groups = groups_of_one,
                                  .open = open_as<alltoallv_channel>};

}  // namespace weft::exchange
