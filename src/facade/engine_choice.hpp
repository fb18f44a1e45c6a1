// What "auto" means for exchanges.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "exchange/engine.hpp"
#include "mpi/communicator.hpp"
#include "run/workspace.hpp"

namespace weft::facade {

/// Binds with the engine that `name` stands for: for "auto", shared memory if all ranks of `on` sit on
/// one node (and moved is true: something is exchanged) and there is room for it, else messages. `bind`
/// is called with an engine and the workspace that suits it, must be collective, and may be called again
/// after it has thrown buffer_error.
const exchange::engine& bind_with(
    const std::string& name, const mpi::communicator& on, int ranks_per_node, bool moved,
    const std::function<void(const exchange::engine&, const std::shared_ptr<run::workspace>&)>& bind);

}  // namespace weft::facade
