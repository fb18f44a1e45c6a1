// A schedule bound to one rank: passes and exchanges with their buffers, ready to run many times.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exchange/engine.hpp"
#include "local/engine.hpp"
#include "run/stopwatch.hpp"
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
  /// One for each exchange of the schedule, in its order: backward, that of the forward schedule reversed.
  std::vector<const exchange::engine*> exchanges;
  const mpi::communicator* communicator = nullptr;
  exchange::loopback_hub* hub = nullptr;
  integer count_limit = 0;
  int parts = 0;               ///< most that a message is cut into, where an engine cuts; 0: its own choice
  int ranks_per_node = 0;      ///< at most; 0: as many as share memory
  bool shared_arrays = false;  ///< input and output lie in shared memory, compact
  /// Bytes of workspace per rank, 0: none. Binding aims at one local array; a pass more, which may save memory,
  /// is made only to keep to a limit.
  integer memory_limit = 0;
  int threads = 1;
  integer cached_bytes = local::usual_cached_bytes;  ///< arrays up to here are stored through the caches
};

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
    exchange::exchange* through = nullptr;
    area from{};
    area to{};
  };
  side source, sink;
  std::unique_ptr<local::pass> work;
  local::arrivals* waiting = nullptr;         ///< set for a pass that may run before its exchange has finished
  std::shared_ptr<exchange::exchange> moved;  ///< for the other kinds; its images are those of `source`
};

class program {
 public:
  /// Collective where an engine is. All programs of a plan may share `memory`. Throws buffer_error if the limit
  /// is too low.
  program(const schedule& s, const binding& how, std::shared_ptr<workspace> memory);

  /// Tells `watch`, if given, about every step.
  void execute(const exchange::image& input, const exchange::image& output, stopwatch* watch = nullptr);
  /// One step, for running many ranks of one process in lockstep.
  void execute_step(std::size_t number, const exchange::image& input, const exchange::image& output) {
    execute_step(steps_[number], steps_[number].waiting, input, output);
  }

  [[nodiscard]] const std::vector<step>& steps() const { return steps_; }
  /// Names of the stages, by number.
  [[nodiscard]] const std::vector<std::string>& stages() const { return stages_; }
  [[nodiscard]] integer messages() const;
  [[nodiscard]] integer bytes_sent() const;

 private:
  friend class binder;

  void number_stages();
  void execute_step(const step& s, local::arrivals* waiting, const exchange::image& input,
                    const exchange::image& output);

  std::vector<step> steps_;
  std::vector<std::string> stages_;
  std::shared_ptr<workspace> memory_;
};

}  // namespace weft::run
