// SPDX-License-Identifier: BSD-3-Clause
// What the engines for devices have in common.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device.hpp"
#include "local/engine.hpp"

namespace weft::local {

/// What a pass on a device waits for: kernels cannot, so all messages of a part are there before it is launched.
class awaited_source {
 public:
  explicit awaited_source(const pass_problem& problem) : following_(problem.following) {
    for (const auto& p : problem.source.placements) {
      if (p.message >= 0) messages_.push_back(p.message);
    }
    std::ranges::sort(messages_);
    messages_.erase(std::unique(messages_.begin(), messages_.end()), messages_.end());
    if (follows()) end_ = problem.sink.shape[static_cast<std::size_t>(following_.axis)];
  }

  [[nodiscard]] bool follows() const { return !following_.positions.empty(); }

  /// For a pass that has nothing to do in them.
  void forget_parts() { following_ = {}; }

  /// Before anything is launched.
  void begin(arrivals* waiting) const {
    if (waiting == nullptr) return;
    waiting->reach(0);
    for (const int m : messages_) waiting->need(m);
  }

  /// Calls whole(), or part(axis, begin, end) for what the pass follows, one part after the other.
  template <class Whole, class Part>
  void each_part(const device::device& on, arrivals* waiting, const Whole& whole, const Part& part) const {
    if (waiting == nullptr || !follows()) return whole();
    integer begin = 0;
    for (std::size_t i = 0; i <= following_.positions.size(); ++i) {
      if (i > 0) {
        on.synchronize();  // what the parts before are loaded from may be used again
        waiting->reach(static_cast<int>(i));
      }
      const integer end = i < following_.positions.size() ? following_.positions[i] : end_;
      if (begin < end) part(following_.axis, begin, end);
      begin = end;
    }
  }

 private:
  std::vector<int> messages_;
  milestones following_;
  integer end_ = 0;
};

/// The engine of this class for a device, made when it is first asked for.
template <class Engine>
[[nodiscard]] const engine& one_of_device(const device::device& where) {
  static std::mutex lock;
  static std::map<const device::device*, std::unique_ptr<const Engine>> all;
  const std::lock_guard guard(lock);
  auto& found = all[&where];
  if (!found) found = std::make_unique<const Engine>(where);
  return *found;
}

}  // namespace weft::local
