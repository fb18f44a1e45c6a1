// The ranks of a plan, and who shares memory.
#pragma once

#include <memory>

#include "exchange/nodes.hpp"
#include "mpi/communicator.hpp"

namespace weft::planner {

struct crew {
  /// Collective.
  explicit crew(const mpi::communicator& on);

  mpi::communicator all, node;
  std::shared_ptr<const exchange::node_map> nodes;
};

}  // namespace weft::planner
