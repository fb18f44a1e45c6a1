// SPDX-License-Identifier: BSD-3-Clause
// What runs a program: opened exchanges, with messages that only they know, and work areas. Several executions of one
// program may be under way at once if each has a workspace of its own.
#pragma once

#include <memory>
#include <vector>

#include "exchange/channel.hpp"
#include "run/program.hpp"
#include "run/stopwatch.hpp"
#include "run/workspace.hpp"

namespace weft::run {

class execution {
 public:
  /// Not collective: `with` has the company of each exchange. All executions of a plan that never run at the same time
  /// may share `memory`, which must have what the program needs.
  execution(std::shared_ptr<const program> what, std::shared_ptr<workspace> memory,
            const std::vector<exchange::company>& with);

  /// Tells `watch`, if given, about every step. `all_here`: all ranks are known to have come, so that none need wait
  /// for the others to.
  void run(const exchange::image& input, const exchange::image& output, stopwatch* watch = nullptr,
           bool all_here = false);
  /// One step, for running many ranks of one process, or several executions, in lockstep.
  void run_step(std::size_t number, const exchange::image& input, const exchange::image& output) {
    run_step(what_->steps[number], waiting_for(what_->steps[number]), input, output);
  }

  [[nodiscard]] const program& what() const { return *what_; }
  [[nodiscard]] exchange::channel& channel(int exchange) { return *channels_[static_cast<std::size_t>(exchange)]; }

 private:
  [[nodiscard]] local::arrivals* waiting_for(const step& s) { return s.waits ? &channel(s.source.exchange) : nullptr; }
  /// Whether a step does nothing but wait for the others to come.
  [[nodiscard]] bool meets(const step& s) const;
  void run_step(const step& s, local::arrivals* waiting, const exchange::image& input, const exchange::image& output);
  /// The buffers that a map of an exchange numbers, `first` and `second` among its two images.
  [[nodiscard]] local::buffer_list buffers_of(int exchange, const exchange::image& first, const exchange::image& second,
                                              std::vector<std::byte*>& list) const;

  std::shared_ptr<const program> what_;
  std::shared_ptr<workspace> memory_;
  std::vector<std::unique_ptr<exchange::channel>> channels_;
  std::vector<std::byte*> source_buffers_, sink_buffers_;  // room for what a pass is handed
};

}  // namespace weft::run
