// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/engines/all.hpp"
#include "exchange/engines/collective_channel.hpp"
#include "exchange/plain.hpp"

namespace weft::exchange {

namespace {

class alltoallw_channel final : public collective_channel<mpi::alltoallw_call> {
 public:
  alltoallw_channel(const exchange_problem& problem, const geometry& /*g*/, const company& with)
      : collective_channel(plan(problem, with), with), own_(problem) {}

  void start(const image& from, const image& to) override {
    own_(from.mine, to.mine);
    exchange(from, to);
  }

 private:
  [[nodiscard]] static mpi::alltoallw_call plan(const exchange_problem& problem, const company& with) {
    const mpi::datatype element = mpi::element_type(problem.element_bytes);
    const auto types = [&](const std::vector<message>& messages, slice overlap::*side, const plain_image& image) {
      std::vector<mpi::alltoallw_call::part> result;
      for (const auto& m : messages) {
        if (m.peer == problem.rank) continue;
        std::vector<std::vector<mpi::strided_run>> axes;
        for (std::size_t l = 0; l < m.axes.size(); ++l) {
          auto& runs = axes.emplace_back();
          for (const auto& o : m.axes[l]) {
            const slice& s = o.*side;
            runs.push_back({s.first * image.strides[l], s.count, s.step * image.strides[l]});
          }
        }
        if (!axes.empty() && image.offset != 0) {
          for (auto& run : axes.front()) run.offset += image.offset;
        }
        result.push_back({with.groups[0].who.position(m.peer),
                          mpi::strided_type(element, problem.element_bytes, axes, problem.count_limit)});
      }
      return result;
    };
    return {with.groups[0].on,
            types(outgoing(problem.from, problem.to, problem.rank), &overlap::from, problem.from_image),
            types(incoming(problem.from, problem.to, problem.rank), &overlap::to, problem.to_image)};
  }

  own_copy own_;
};

geometry describe(const exchange_problem& problem, int /*way*/, std::span<const integer> /*agreed*/) {
  return plain_geometry(problem);
}

}  // namespace

constexpr engine alltoallw_engine{.name = "alltoallw",
                                  .plain = true,
                                  .facts = nullptr,
                                  .ways = plain_ways,
                                  .describe = describe,
                                  .groups = groups_of_one,
                                  .open = open_as<alltoallw_channel>};

}  // namespace weft::exchange
