// SPDX-License-Identifier: BSD-3-Clause
#include "weft/started.hpp"

#include <thread>
#include <utility>

#include "facade/plan_state.hpp"
#include "mpi/call.hpp"

namespace weft {

/// Gives its execution back when it is done. One that fails keeps it: messages may still be under way.
class plan::state::run_under_way final : public detail::remaining_work {
 public:
  run_under_way(std::shared_ptr<state> of, direction way, const planner::bound::lent& by, const agreed_call& call)
      : of_(std::move(of)),
        by_(by),
        in_(of_->lies(call.in.mine, way == direction::forward)),
        out_(of_->lies(call.out.mine, way == direction::backward)) {
    of_->under_way.push_back(this);
  }
  ~run_under_way() override { std::erase(of_->under_way, this); }

  bool advance(bool wait) override {
    if (wait && of_->under_way.size() > 1) {
      wait_among_others();
    } else {
      (void)by_.execution->advance(wait);
    }
    const bool done = by_.execution->done();
    if (done) of_->bound().give_back(by_);
    return done;
  }
  [[nodiscard]] bool is_disturbed_by(const facade::footprint& in, const facade::footprint& out) const {
    using facade::overlap;
    return overlap(in, out_) || overlap(out, in_) || overlap(out, out_) || (of_->how.destroy_input && overlap(in, in_));
  }

 private:
  /// Whatever run of the plan can go on does so meanwhile.
  void wait_among_others() {
    auto& mine = *by_.execution;
    for (bool idle = false; !mine.done();) {
      auto* const next = mine.ready() ? &mine : ready_other();
      if (next == nullptr && !idle) mine.begin_wait();
      if (next != nullptr && idle) mine.end_wait();
      idle = next == nullptr;
      if (idle) {
        std::this_thread::yield();
      } else {
        (void)next->advance(false);
      }
    }
  }
  [[nodiscard]] run::execution* ready_other() const {
    for (const auto* run : of_->under_way) {
      if (run != this && run->by_.execution->ready()) return run->by_.execution;
    }
    return nullptr;
  }

  std::shared_ptr<state> of_;
  planner::bound::lent by_;
  facade::footprint in_, out_;
};

void plan::state::require_free(direction way, const std::byte* in, const std::byte* out) const {
  for (const auto* run : under_way) {
    if (!run->is_disturbed_by(lies(in, way == direction::forward), lies(out, way == direction::backward))) continue;
    throw buffer_error("an array is in use by a run of this plan that is under way on rank " +
                       std::to_string(on.all.rank()) + "; wait for it first or take another array");
  }
}

started plan::state::start(const std::shared_ptr<state>& self, direction way, std::span<const std::byte> in,
                           std::span<std::byte> out, const detail::array_terms* in_terms,
                           const detail::array_terms* out_terms) {
  const auto call = agree_on(way, in, out, nullptr, in_terms, out_terms, true);
  const auto lent = bound().lend(way, call.lying);
  last_used = {call.lying};
  std::unique_ptr<detail::remaining_work> rest;
  try {
    mpi::agree(on.all, [&] {
      run::stopwatch& watched = watch(way, last_used);
      rest = std::make_unique<run_under_way>(self, way, lent, call);
      lent.execution->begin(call.in, call.out, &watched, true);
    });
  } catch (...) {
    bound().give_back(lent);
    throw;
  }
  // Even if that is all, it is under way until somebody is told that it is not: arrays and executions are in use in
  // the same calls on all ranks, however fast one is.
  (void)lent.execution->advance(false);
  return started(std::move(rest));
}

started plan::start_forward(const void* in, void* out) {
  return filled().start(state_, direction::forward, {static_cast<const std::byte*>(in), state_->bytes_of(true)},
                        {static_cast<std::byte*>(out), state_->bytes_of(false)});
}

started plan::start_backward(const void* in, void* out) {
  return filled().start(state_, direction::backward, {static_cast<const std::byte*>(in), state_->bytes_of(false)},
                        {static_cast<std::byte*>(out), state_->bytes_of(true)});
}

started plan::start_forward(std::span<const std::byte> in, std::span<std::byte> out) {
  return filled().start(state_, direction::forward, in, out);
}

started plan::start_backward(std::span<const std::byte> in, std::span<std::byte> out) {
  return filled().start(state_, direction::backward, in, out);
}

started plan::start(direction way, const void* in, const detail::array_terms& in_terms, void* out,
                    const detail::array_terms& out_terms) {
  const bool forward = way == direction::forward;
  return filled().start(state_, way, {static_cast<const std::byte*>(in), state_->bytes_of(forward)},
                        {static_cast<std::byte*>(out), state_->bytes_of(!forward)}, &in_terms, &out_terms);
}

started& started::operator=(started&& other) noexcept {
  std::swap(rest_, other.rest_);  // `other` waits when it ends
  return *this;
}

started::~started() {
  if (!rest_ || !mpi::alive()) return;
  try {
    wait();
  } catch (...) {  // who wants to know waits
    rest_.reset();
  }
}

bool started::test() { return advance(false); }
void started::wait() { (void)advance(true); }

bool started::advance(bool wait) {
  if (!rest_) return true;
  // If it throws there is nothing left that could be waited for.
  auto rest = std::move(rest_);
  if (!rest->advance(wait)) rest_ = std::move(rest);
  return done();
}

}  // namespace weft
