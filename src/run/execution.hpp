// SPDX-License-Identifier: BSD-3-Clause
// What runs a program: opened exchanges, with messages that only they know, and work areas. Several executions of one
// program may be under way at once if each has a workspace of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exchange/channel.hpp"
#include "mpi/meeting.hpp"
#include "run/program.hpp"
#include "run/stopwatch.hpp"
#include "run/workspace.hpp"

namespace weft::run {

class execution {
 public:
  /// Not collective: `with` has the company of each exchange. All executions of a plan that never run at the same time
  /// may share `memory`, which must have what the program needs. `progress`, of one that overlaps with others, lets MPI
  /// work.
  execution(std::shared_ptr<const program> what, std::shared_ptr<workspace> memory,
            const std::vector<exchange::company>& with, std::function<void()> progress = {});

  /// Of ranks that share one device: the one with the programs of all runs their passes, one after the other in its
  /// stream, so that what exchanges order is ordered by that, and no exchange is opened. Each rank waits for its own
  /// stream before all come, and all meet at `end`.
  execution(program_list led, std::shared_ptr<workspace> memory, mpi::meeting end);

  /// Tells `watch`, if given, about every step. `all_here`: all ranks are known to have come, so that none need wait
  /// for the others to.
  void run(const exchange::image& input, const exchange::image& output, stopwatch* watch = nullptr,
           bool all_here = false);

  // The same in an execution that overlaps with others. Images and watch must stay until it is done. While it is on
  // hold it makes passes only, of which no other rank hears.
  void begin(const exchange::image& input, const exchange::image& output, stopwatch* watch, bool all_here,
             bool on_hold = false);
  void release_hold() { on_hold_ = false; }
  /// Goes on as long as no other rank is waited for or, with `wait`, to the end. Returns whether that is reached.
  bool advance(bool wait);
  [[nodiscard]] bool done() const { return rest_.empty() && asked_ == nullptr; }
  /// Whether advance() would do something without waiting.
  [[nodiscard]] bool ready() { return !done() && may_go_on(false); }
  /// For who waits for it between calls of advance().
  void begin_wait() { watch_->begin((asked_ != nullptr ? *asked_ : rest_.front()).stage, activity::wait); }
  void end_wait() { watch_->end(); }

  /// One step, for running many ranks of one process, or several executions, in lockstep.
  void run_step(std::size_t number, const exchange::image& input, const exchange::image& output) {
    run_step(what_->steps[number], waiting_for(what_->steps[number]), input, output);
  }

  [[nodiscard]] const program& what() const { return *what_; }
  [[nodiscard]] const std::shared_ptr<const program>& shared_program() const { return what_; }
  [[nodiscard]] exchange::channel& channel(int exchange) { return *channels_[static_cast<std::size_t>(exchange)]; }

 private:
  struct tidings;  // what passes of an execution that overlaps tell

  void run_all(const exchange::image& input, const exchange::image& output, stopwatch* watch, bool all_here);
  void run_led(const exchange::image& input, const exchange::image& output, stopwatch* watch);
  /// The n-th step of all, where it is a pass.
  void run_passes(std::size_t number, const exchange::image& input, const exchange::image& output);
  [[nodiscard]] std::span<const step> steps(bool all_here) const;
  [[nodiscard]] bool may_go_on(bool wait);
  [[nodiscard]] local::arrivals* waiting_for(const step& s) { return s.waits ? &channel(s.source.exchange) : nullptr; }
  /// Whether no other rank hears of it.
  [[nodiscard]] bool is_quiet(const step& s);
  /// Whether a step does nothing but wait for the others to come.
  [[nodiscard]] bool meets(const step& s) const;
  void run_step(const step& s, local::arrivals* waiting, const exchange::image& input, const exchange::image& output);
  /// What a pass loads from and stores to, `rank` being the one whose arrays these are; -1: this one.
  struct pass_buffers {
    local::buffer_list source, sink;
  };
  [[nodiscard]] pass_buffers buffers_of(const step& s, const exchange::image& input, const exchange::image& output,
                                        int rank = -1);

  std::shared_ptr<const program> what_;
  std::shared_ptr<workspace> memory_;
  std::vector<std::unique_ptr<exchange::channel>> channels_;
  std::vector<std::byte*> source_buffers_, sink_buffers_;  // room for what a pass is handed
  std::function<void()> progress_;                         // of executions that overlap
  program_list led_;                                       // whose passes this rank runs, by rank, if led
  std::optional<mpi::meeting> end_;                        // if led

  // What is under way between begin() and the end:
  std::span<const step> rest_;
  exchange::image input_, output_;
  stopwatch* watch_ = nullptr;
  int call_ = 0;
  const step* asked_ = nullptr;  // of an exchange, after which somebody may have to wait
  bool on_hold_ = false;
};

}  // namespace weft::run
