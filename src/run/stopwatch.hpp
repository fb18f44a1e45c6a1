// SPDX-License-Identifier: BSD-3-Clause
// Keeps the time of a program: the seconds of each stage and, while recording, what was done when.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "local/pass.hpp"
#include "weft/timeline.hpp"

namespace weft::device {
class device;
}

namespace weft::run {

/// Stands between a pass and the messages it waits for while recording, so that the waiting shows.
class stopwatch final : public local::arrivals {
 public:
  using clock = std::chrono::steady_clock;
  struct interval {
    int call = 0;
    std::size_t stage = 0;
    activity kind = activity::transform;
    clock::time_point begin, end;
  };

  explicit stopwatch(std::size_t stages = 0) : seconds_(stages, 0.0) {}

  /// Its number, since recording began.
  int begin_call() {
    on_device_.clear();  // of a call that failed
    return call_ = ++calls_;
  }
  /// What follows belongs to a call that began before.
  void resume_call(int number) { call_ = number; }
  void begin(std::size_t stage, activity kind);
  void end();
  /// Both with one look at the clock, which takes as long as some short steps do.
  void go_on(std::size_t stage, activity kind);
  /// What somebody else did meanwhile, of the stage that begin() named last. It has no share in its seconds.
  void beside(activity kind, clock::time_point begin, clock::time_point end);

  /// Passes that a device runs are only asked for between begin() and end(). The device's clock keeps their time, from
  /// begin_on() to end_on(), and settle(), when all is done, adds it to what is known.
  void begin_on(const device::device& on, std::size_t stage, activity kind);
  void end_on(const device::device& on);
  void settle(const device::device& on);

  /// What a pass should ask for messages instead of `those`, which may be null.
  [[nodiscard]] local::arrivals* around(local::arrivals* those);
  void need(int message) override;
  int next() override;
  void reach(int part) override;

  /// Per stage, since made or reset.
  [[nodiscard]] const std::vector<double>& seconds() const { return seconds_; }
  void reset_seconds();
  /// Forgets what was recorded before if `on`.
  void record(bool on);
  [[nodiscard]] bool recording() const { return recording_; }
  [[nodiscard]] const std::vector<interval>& recorded() const { return recorded_; }

 private:
  void begin_at(clock::time_point now, std::size_t stage, activity kind);
  void end_at(clock::time_point now);
  void waited(clock::time_point begin);
  void note(activity kind, clock::time_point begin, clock::time_point end);

  std::vector<double> seconds_;
  bool recording_ = false;
  std::vector<interval> recorded_;
  int calls_ = -1, call_ = -1;  // since recording began
  std::size_t stage_ = 0;
  activity kind_ = activity::transform;
  clock::time_point begin_, since_;  // of the stage; of what is not noted yet
  local::arrivals* awaited_ = nullptr;
  /// Passes of a device's, by numbers of its stamps: 2i and 2i + 1.
  struct pass_on_device {
    int call = 0;
    std::size_t stage = 0;
    activity kind = activity::transform;
  };
  std::vector<pass_on_device> on_device_;
  clock::time_point first_stamp_;  // when the first was asked for
};

}  // namespace weft::run
