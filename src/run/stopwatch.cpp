// SPDX-License-Identifier: BSD-3-Clause
#include "run/stopwatch.hpp"

#include <algorithm>

#include "device/device.hpp"

namespace weft::run {

namespace {

/// Asking for what is there already takes less; passes ask for every bundle.
constexpr auto shortest_wait = std::chrono::microseconds(1);

}  // namespace

void stopwatch::begin(std::size_t stage, activity kind) { begin_at(clock::now(), stage, kind); }

void stopwatch::end() { end_at(clock::now()); }

void stopwatch::go_on(std::size_t stage, activity kind) {
  const auto now = clock::now();
  end_at(now);
  begin_at(now, stage, kind);
}

void stopwatch::begin_at(clock::time_point now, std::size_t stage, activity kind) {
  stage_ = stage;
  kind_ = kind;
  begin_ = since_ = now;
}

void stopwatch::end_at(clock::time_point now) {
  seconds_[stage_] += std::chrono::duration<double>(now - begin_).count();
  if (recording_) note(kind_, since_, now);
}

void stopwatch::beside(activity kind, clock::time_point begin, clock::time_point end) {
  if (recording_) recorded_.push_back({call_, stage_, kind, begin, end});
}

void stopwatch::begin_on(const device::device& on, std::size_t stage, activity kind) {
  stage_ = stage;
  kind_ = kind;
  begin_ = since_ = clock::now();
  if (on_device_.empty()) first_stamp_ = begin_;
  on.stamp(2 * on_device_.size());
}

void stopwatch::end_on(const device::device& on) {
  on.stamp(2 * on_device_.size() + 1);
  on_device_.push_back({call_, stage_, kind_});
}

/// The first stamp is passed as soon as it is asked for, as the device has nothing else to do: so it is known when all
/// others were passed.
void stopwatch::settle(const device::device& on) {
  const auto at = [&](std::size_t stamp) {
    return first_stamp_ +
           std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(on.seconds_between(0, stamp)));
  };
  for (std::size_t i = 0; i < on_device_.size(); ++i) {
    const auto& p = on_device_[i];
    seconds_[p.stage] += on.seconds_between(2 * i, 2 * i + 1);
    if (recording_) recorded_.push_back({p.call, p.stage, p.kind, at(2 * i), at(2 * i + 1)});
  }
  on_device_.clear();
  if (recording_) std::ranges::stable_sort(recorded_, {}, &interval::begin);
}

local::arrivals* stopwatch::around(local::arrivals* those) {
  if (!recording_ || those == nullptr) return those;
  awaited_ = those;
  return this;
}

void stopwatch::need(int message) {
  const auto begin = clock::now();
  awaited_->need(message);
  waited(begin);
}

int stopwatch::next() {
  const auto begin = clock::now();
  const int message = awaited_->next();
  waited(begin);
  return message;
}

void stopwatch::reach(int part) {
  const auto begin = clock::now();
  awaited_->reach(part);
  waited(begin);
}

void stopwatch::waited(clock::time_point begin) {
  const auto now = clock::now();
  if (now - begin < shortest_wait) return;
  note(kind_, since_, begin);
  note(activity::wait, begin, now);
  since_ = now;
}

void stopwatch::note(activity kind, clock::time_point begin, clock::time_point end) {
  if (kind == activity::wait && end - begin < shortest_wait) return;
  recorded_.push_back({call_, stage_, kind, begin, end});
}

void stopwatch::reset_seconds() { std::fill(seconds_.begin(), seconds_.end(), 0.0); }

void stopwatch::record(bool on) {
  recording_ = on;
  if (!on) return;
  recorded_.clear();
  calls_ = call_ = -1;
}

}  // namespace weft::run
