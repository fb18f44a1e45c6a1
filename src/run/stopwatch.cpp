// SPDX-License-Identifier: BSD-3-Clause
#include "run/stopwatch.hpp"

#include <algorithm>

namespace weft::run {

namespace {

/// Asking for what is there already takes less; passes ask for every bundle.
constexpr auto shortest_wait = std::chrono::microseconds(1);

}  // namespace

void stopwatch::begin(std::size_t stage, activity kind) {
  stage_ = stage;
  kind_ = kind;
  begin_ = since_ = clock::now();
}

void stopwatch::end() {
  const auto now = clock::now();
  seconds_[stage_] += std::chrono::duration<double>(now - begin_).count();
  if (recording_) note(kind_, since_, now);
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
