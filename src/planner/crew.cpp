// SPDX-License-Identifier: BSD-3-Clause
#include "planner/crew.hpp"

#include <algorithm>
#include <vector>

#include "device/device.hpp"
#include "mpi/agreement.hpp"
#include "mpi/device_memory.hpp"
#include "mpi/shared_memory.hpp"
#include "planner/limits.hpp"
#include "run/bind.hpp"

namespace weft::planner {

namespace {

constexpr std::size_t most_numbered = 64;  // cards of a node that are told apart

}  // namespace

crew::crew(const mpi::communicator& ranks)
    : all(ranks), node(mpi::node_of(ranks, limits().ranks_per_node)), nodes(run::nodes_of(all, node)) {
  if (nodes->single()) {
    all = all.with_board();
  } else if (limits().boards_of_nodes) {
    std::vector<int> members;
    mpi::agree(all, [&] { members = nodes->members_with(all.rank()); });
    mpi::agree(all, [&] { all = all.with_near(node.with_board(std::move(members))); });
  }
  mpi::agree(all, [&] { shared = std::make_shared<mpi::node_space>(node); });
}

void crew::use_device(const std::string& named) {
  mpi::agree(all, [&] {
    on = &device::device_named(named, node.rank());
    if (on->has_handles()) shared = std::make_shared<mpi::device_node_space>(node, *on);
  });
  // By how many of the node's cards of each number the ranks are counted.
  std::vector<long long> sharing(most_numbered, 0);
  sharing[static_cast<std::size_t>(on->number()) % sharing.size()] = 1;
  mpi::sum(node, sharing);
  ranks_of_device = static_cast<int>(mpi::largest(all, *std::ranges::max_element(sharing)));
  if (limits().own_devices) ranks_of_device = 1;
  devices = mpi::broadcast(all, on->name(), 0) + ", of " + std::to_string(ranks_of_device) +
            (ranks_of_device == 1 ? " rank" : " ranks");
}

base::memory_space& crew::own() const { return on != nullptr ? on->space() : base::host(); }

}  // namespace weft::planner
