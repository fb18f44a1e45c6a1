// The ranks of a plan, and who shares memory.
#pragma once

#include <memory>

#include "base/memory.hpp"
#include "exchange/nodes.hpp"
#include "mpi/communicator.hpp"

namespace weft::planner {

struct crew {
  /// Collective.
  explicit crew(const mpi::communicator& on);

  mpi::communicator all, node;
  std::shared_ptr<const exchange::node_map> nodes;
  std::shared_ptr<base::memory_space> shared;  ///< memory that the ranks of the node share
};

}  // namespace weft::planner
