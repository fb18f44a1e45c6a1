// SPDX-License-Identifier: BSD-3-Clause
// A transform that was started and may still be under way.
#pragma once

#include <memory>
#include <utility>

namespace [[gnu::visibility("default")]] weft {

namespace detail {

/// What a plan leaves to be done.
class remaining_work {
 public:
  remaining_work() = default;
  remaining_work(const remaining_work&) = delete;
  remaining_work& operator=(const remaining_work&) = delete;
  virtual ~remaining_work() = default;
  /// Goes on as long as no other rank is waited for, or to the end; returns whether that is reached.
  virtual bool advance(bool wait) = 0;
};

}  // namespace detail

/// What plan::start_forward() and start_backward() give. Passes run inside calls: those two, test() and wait(), also of
/// other runs of the plan. Messages travel between them. The arrays must stay, and be left alone, until it is done. All
/// ranks must start, wait for and destroy their runs in the same order; test() is free.
class started {
 public:
  /// Nothing, and done.
  started() = default;
  explicit started(std::unique_ptr<detail::remaining_work> rest) : rest_(std::move(rest)) {}
  started(started&&) noexcept = default;
  /// Waits for what was under way here before, at the latest when `other` ends.
  started& operator=(started&& other) noexcept;
  started(const started&) = delete;
  started& operator=(const started&) = delete;
  /// Waits. What fails then is not told.
  ~started();

  /// Goes on as far as that is possible without waiting for other ranks, and returns whether all is done. Both throw
  /// what was wrong with the call that started it, if that call did not.
  bool test();
  /// Returns when all is done.
  void wait();
  [[nodiscard]] bool done() const { return rest_ == nullptr; }

 private:
  bool advance(bool wait);
  std::unique_ptr<detail::remaining_work> rest_;
};

}  // namespace weft
