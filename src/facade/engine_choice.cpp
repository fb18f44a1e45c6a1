#include "facade/engine_choice.hpp"

#include "mpi/agreement.hpp"
#include "weft/error.hpp"

namespace weft::facade {

const exchange::engine& bind_with(
    const std::string& name, const mpi::communicator& on, int ranks_per_node, bool moved,
    const std::function<void(const exchange::engine&, const std::shared_ptr<run::workspace>&)>& bind) {
  const auto bind_one = [&](const exchange::engine& engine) -> const exchange::engine& {
    // Without an exchange nobody looks into a peer's memory, and ranks may bind in different ways.
    bind(engine, engine.shared() && moved ? std::make_shared<run::workspace>(mpi::node_of(on, ranks_per_node))
                                          : std::make_shared<run::workspace>());
    return engine;
  };
  const exchange::engine& messages = exchange::engine_named(name);
  if (name != "auto" || !moved || mpi::largest(on, on.size() - mpi::node_of(on, ranks_per_node).size()) > 0) {
    return bind_one(messages);
  }
  try {
    return bind_one(exchange::engine_named("window"));
  } catch (const buffer_error&) {
    return bind_one(messages);
  }
}

}  // namespace weft::facade
