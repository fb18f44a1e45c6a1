// SPDX-License-Identifier: BSD-3-Clause
#include "planner/setting.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "local/engine.hpp"
#include "mpi/agreement.hpp"
#include "planner/network.hpp"
#include "planner/topology.hpp"
#include "weft/error.hpp"

namespace weft::planner {

namespace {

/// Cores for each rank of the node if all take as many; the same on every rank.
int cores_of_each(const mpi::communicator& on, const mpi::communicator& node) {
  const int allowed = allowed_cores(), all = this_node().cores;
  const int mine = allowed < all || node.size() == 1 ? allowed : allowed / node.size();
  return static_cast<int>(-mpi::largest(on, -std::max(1, mine)));
}

/// Whether messages are narrow depends on the engine that sends them, and so would bits.
void require_tolerance(const options& how) {
  if (how.message_tolerance == 0) return;
  if (!(how.message_tolerance > 0)) {
    throw argument_error("message tolerance = " + std::to_string(how.message_tolerance) +
                         "; use a relative error such as 1e-6, or 0");
  }
  if (how.deterministic) throw argument_error("a message tolerance and deterministic bits exclude each other");
  if (how.device != "cpu" || how.local == "gpu") {
    throw applicability_error("passes of devices move whole elements: use message tolerance 0");
  }
}

}  // namespace

setting setting_of(const options& how, const crew& on, knowledge& known) {
  setting given;
  mpi::agree(on.all, [&] {
    given.open = freedom_of(how, on.ranks_of_device);
    const auto& by = local::engine_named(given.open.local);
    if (how.deterministic && by.measures()) {
      throw applicability_error("local engine '" + std::string(by.name()) +
                                "' chooses its operations by timing them, so that results may differ in their last "
                                "bits from plan to plan: it cannot make deterministic plans");
    }
    if (how.threads < 0) throw argument_error("threads = " + std::to_string(how.threads) + "; use 0 or more");
    if (how.memory_limit < 0) {
      throw argument_error("memory limit = " + std::to_string(how.memory_limit) + "; use 0 or more bytes");
    }
    if (!(how.peer_timeout >= 0)) {
      throw argument_error("peer timeout = " + std::to_string(how.peer_timeout) + "; use 0 or more seconds");
    }
    require_tolerance(how);
    given.on = parse_machine(how.machine);
  });
  if (how.threads == 0) given.open.cores = cores_of_each(on.all, on.node);
  mpi::agree(on.all, [&] {
    if (how.deterministic) given.open.local = local::engine_named(given.open.local).name();
  });
  std::string model = how.machine;
  if (!how.wisdom.empty()) {
    known = knowledge_in(how.wisdom, on);
    if (model.empty()) model = model_in(known, on.all);
    mpi::agree(on.all, [&] { given.on = parse_machine(model); });
  }
  // Networks differ by orders of magnitude: no guess would do.
  if (model.empty() && !on.nodes->single()) {
    auto figures = network_of(on, known, how.wisdom);
    given.on.network = figures.of;
    given.network = std::move(figures.source);
  } else if (!on.nodes->single()) {
    given.network = "as the machine model has it";
  }
  given.on.ranks_per_node = static_cast<int>(mpi::largest(on.all, on.node.size()));
  if (on.on != nullptr) given.on = with_devices(given.on, on.ranks_of_device, on.share_one_device());
  return given;
}

}  // namespace weft::planner
