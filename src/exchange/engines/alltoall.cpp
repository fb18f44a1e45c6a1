// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "exchange/engines/all.hpp"
#include "exchange/engines/collective_channel.hpp"
#include "exchange/packed.hpp"

namespace weft::exchange {

namespace {

class alltoall_channel final : public collective_channel<mpi::alltoall_call> {
 public:
  alltoall_channel(const exchange_problem& problem, const geometry& g, const company& with)
      : collective_channel({with.groups[0].on, problem.element_bytes, g.slot, problem.count_limit}, with) {}
  void start(const image& from, const image& to) override { exchange(from, to); }
};

/// The largest message, own ones apart.
std::vector<integer> facts(const exchange_problem& problem) {
  integer most = 0;
  const mailing all(problem);
  for (const auto* list : {&all.out, &all.in}) {
    for (const auto& m : *list) most = std::max(most, m.peer == problem.rank ? 0 : m.count);
  }
  return {most};
}

/// One slot of the largest message per rank of the group. The own message has a slot behind the
/// others in the `to` image: MPI_Alltoall would overwrite the regular one. Held, it is in its regular slot,
/// if it fits there, and MPI_Alltoall copies it.
geometry describe(const exchange_problem& problem, int way, std::span<const integer> agreed) {
  const mailing all(problem);
  const rank_group group = group_of(problem);
  const integer slot = agreed[0];
  const auto slots = static_cast<integer>(group.members.size());
  integer own = 0;
  for (const auto& m : all.out) own = m.peer == problem.rank ? m.count : own;
  const bool held = way == static_cast<int>(care::held) && own <= slot;
  message_places places;
  for (const auto& m : all.out) places.out.push_back(slot * group.position(m.peer));
  for (const auto& m : all.in) {
    places.in.push_back(slot * (m.peer == problem.rank && !held ? slots : group.position(m.peer)));
  }
  places.from_elements = slot * slots;
  places.to_elements = slot * slots + (held ? 0 : own);
  geometry result = packed_geometry(problem, all, places, held);
  result.held = {};
  result.slot = slot;
  return result;
}

}  // namespace

constexpr engine alltoall_engine{.name = "alltoall",
                                 .facts = facts,
                                 .ways = packed_ways,
                                 .describe = describe,
                                 .groups = groups_of_one,
                                 .open = open_as<alltoall_channel>};

}  // namespace weft::exchange
