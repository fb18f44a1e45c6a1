#include "planner/crew.hpp"

#include "mpi/agreement.hpp"
#include "mpi/shared_memory.hpp"
#include "planner/limits.hpp"
#include "run/bind.hpp"

namespace weft::planner {

crew::crew(const mpi::communicator& on)
    : all(on), node(mpi::node_of(on, limits().ranks_per_node)), nodes(run::nodes_of(all, node)) {
  mpi::agree(all, [&] { shared = std::make_shared<mpi::node_space>(node); });
}

}  // namespace weft::planner
