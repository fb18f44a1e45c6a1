// SPDX-License-Identifier: BSD-3-Clause
#include "planner/crew.hpp"

#include "mpi/agreement.hpp"
#include "mpi/device_memory.hpp"
#include "mpi/shared_memory.hpp"
#include "planner/limits.hpp"
#include "run/bind.hpp"

namespace weft::planner {

crew::crew(const mpi::communicator& ranks)
    : all(ranks), node(mpi::node_of(ranks, limits().ranks_per_node)), nodes(run::nodes_of(all, node)) {
  mpi::agree(all, [&] { shared = std::make_shared<mpi::node_space>(node); });
}

void crew::use_device(const std::string& kind) {
  mpi::agree(all, [&] {
    on = &device::device_named(kind, node.rank());
    if (on->has_handles()) shared = std::make_shared<mpi::device_node_space>(node, *on);
  });
}

}  // namespace weft::planner
