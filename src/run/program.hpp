// SPDX-License-Identifier: BSD-3-Clause
// A schedule bound to one rank: passes and exchanges and the memory between them. Immutable; see execution.hpp for
// what runs it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "run/binding.hpp"
#include "weft/timeline.hpp"

namespace weft::run {

/// One thing to do.
struct step {
  enum class kind : char { pass, prepare, start, release, finish };
  kind what = kind::pass;
  std::string name;       ///< of the stage, for people
  std::size_t stage = 0;  ///< its number; all steps of an exchange belong to one stage
  activity doing{};       ///< what the rank does meanwhile
  /// A pass loads an array through the exchange that brings it, if one does, and stores it through the
  /// one that takes it away; `from` and `to` are the areas of such an exchange's images.
  struct side {
    int exchange = -1;  ///< its number
    area from{};
    area to{};
  };
  side source, sink;  ///< steps of an exchange name it, and its images, in `source`
  std::unique_ptr<local::pass> work;
  bool waits = false;  ///< a pass that may run before the exchange that brings its array has finished
};

struct planned_exchange {
  const exchange::engine* by = nullptr;
  exchange::exchange_problem problem;
  exchange::geometry how;
  std::vector<integer> agreed;  ///< the largest of the engine's facts
};

struct program {
  std::vector<step> steps;
  std::vector<std::string> stages;  ///< names, by number
  std::vector<std::shared_ptr<const planned_exchange>> exchanges;
  memory_needs needs;                  ///< of this rank
  const device::device* on = nullptr;  ///< that runs its passes; null: the host does

  /// Whether work areas must lie in memory that the node shares.
  [[nodiscard]] bool shares() const;
  [[nodiscard]] integer messages() const;
  [[nodiscard]] integer bytes_sent() const;
};

/// Of ranks that share one device: all of theirs, by rank, on the first, who runs their passes, and on the others their
/// own alone.
using program_list = std::vector<std::shared_ptr<const program>>;

}  // namespace weft::run
