// A schedule bound to one rank: passes and exchanges with their buffers, ready to run many times.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "exchange/engine.hpp"
#include "local/pass.hpp"
#include "run/workspace.hpp"
#include "schedule/buffers.hpp"
#include "schedule/schedule.hpp"
#include "weft/layout.hpp"

namespace weft::run {

/// What binding needs besides the schedule.
struct binding {
  int rank = 0;
  precision element = precision::f64;
  std::size_t element_bytes = 0;  ///< nonzero: move elements of this size, transform nothing
  layout input_layout, output_layout;
  double scale = 1;
  bool in_place = false;
  bool destroy_input = false;
  const local::engine* local = nullptr;
  const exchange::engine* exchange = nullptr;
  const mpi::communicator* communicator = nullptr;
  exchange::loopback_hub* hub = nullptr;
  integer count_limit = 0;
};

/// One thing to do. A consumer that may run before its exchange has finished asks `waiting`.
struct step {
  enum class kind : char { pass, start, release, finish };
  kind what = kind::pass;
  std::string name;  ///< of the stage, for people
  std::unique_ptr<local::pass> work;
  std::shared_ptr<exchange::exchange> moved;
  local::arrivals* waiting = nullptr;
  std::array<area, 2> from{};  ///< areas of the source map's buffers
  std::array<area, 2> to{};    ///< areas of the sink map's buffers
};

class program {
 public:
  /// Collective where the engine is. All programs of a plan may share `memory`.
  program(const schedule& s, const binding& how, std::shared_ptr<workspace> memory);

  /// Adds the time of each step to `seconds`, if given.
  void execute(const std::byte* input, std::byte* output, double* seconds = nullptr);
  /// One step, for running many ranks of one process in lockstep.
  void execute_step(std::size_t number, const std::byte* input, std::byte* output);

  [[nodiscard]] const std::vector<step>& steps() const { return steps_; }
  [[nodiscard]] integer messages() const;
  [[nodiscard]] integer bytes_sent() const;

 private:
  friend class binder;

  std::vector<step> steps_;
  std::shared_ptr<workspace> memory_;
};

}  // namespace weft::run
