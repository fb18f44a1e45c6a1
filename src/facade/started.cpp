// SPDX-License-Identifier: BSD-3-Clause
#include "weft/started.hpp"

#include <thread>
#include <utility>

#include "facade/plan_state.hpp"
#include "mpi/call.hpp"
#include "mpi/statement.hpp"

namespace weft {

/// Gives its execution back when it is done. One that fails keeps it: messages may still be under way.
///
/// Whether all ranks are content is known only when they have told each other, behind whatever other messages are on
/// their way. Until then it makes passes of which nobody hears, if nothing of the user's is lost by that.
class plan::state::run_under_way final : public detail::remaining_work {
 public:
  run_under_way() = default;
  run_under_way(const run_under_way&) = delete;
  run_under_way& operator=(const run_under_way&) = delete;
  ~run_under_way() override { leave(); }

  /// Collective: tells the others, and goes on as far as that is possible without waiting. Throws where this rank has a
  /// complaint; where another one has, on all ranks alike if it must know at once what they told. Is then as before.
  void begin(std::shared_ptr<state> of, direction way, const call_arrays& here, const std::exception_ptr& complaint) {
    of_ = std::move(of);
    way_ = way;
    arrays_ = here;
    in_ = of_->lies(here.in.mine, way == direction::forward);
    out_ = of_->lies(here.out.mine, way == direction::backward);
    number_ = of_->runs_started++;
    of_->under_way.push_back(this);
    try {
      tell(complaint);
    } catch (...) {
      leave();
      throw;
    }
  }

  bool advance(bool wait) override {
    if (wait && of_->under_way.size() > 1) {
      wait_among_others();
    } else if (is_cleared(wait)) {
      (void)by_.execution->advance(wait);
    } else if (begun_) {
      (void)by_.execution->advance(false);
    }
    const bool done = cleared_ && by_.execution->done();
    if (done) of_->bound().give_back(by_);
    return done;
  }
  [[nodiscard]] bool is_disturbed_by(const facade::footprint& in, const facade::footprint& out) const {
    using facade::overlap;
    return overlap(in, out_) || overlap(out, in_) || overlap(out, out_) || (of_->how.destroy_input && overlap(in, in_));
  }

 private:
  void tell(const std::exception_ptr& complaint) {
    auto& bound = of_->bound();
    said_.emplace(of_->on.all, of_->tag_of_runs,
                  mpi::statement::bits{facade::told_bits(complaint != nullptr, arrays_.numbers, false), bound.busy()},
                  complaint);
    // What costs nothing is known here, and what all ranks must know: the kind of its program, or that there is none.
    const bool must_know = mpi::statement::known_at_once(of_->on.all) ||
                           bound.arrays == planner::array_memory::shared || of_->on.on != nullptr;
    for (auto* run : of_->under_way) {
      if (must_know || !bound.knows_free(planner::array_memory::own)) (void)run->learns(true);
    }
    // Nobody asks here whether more is known by now: on some ranks it would be.
    if (learned_) said_->rethrow();
    cleared_ = learned_;
    by_ = bound.lend(way_, lying(), number_);
    of_->last_used = {by_.lying};
    if (!of_->has_watch(way_, of_->last_used)) mpi::agree(of_->on.all, [&] { (void)of_->watch(way_, of_->last_used); });
    // With no messages under way that words would queue behind, they come at once. Ranks may differ in that, and then
    // others must not wait here for one who speaks later: who has a complaint tells it now.
    if (of_->under_way.size() == 1 || complaint) (void)is_cleared(true);
    const bool may_lose = of_->how.in_place || of_->how.destroy_input;
    if (!begun_ && (cleared_ || !may_lose)) begin_passes();
    // Even if that is all, it is under way until somebody is told that it is not: arrays and executions are in use in
    // the same calls on all ranks, however fast one is.
    if (begun_) (void)by_.execution->advance(false);
  }

  void leave() {
    if (!of_) return;
    std::erase(of_->under_way, this);
    said_.reset();
    learned_ = begun_ = cleared_ = false;
    of_.reset();
  }
  /// Takes what is told of this run, and before that of those that were started before it.
  bool learns(bool wait) {
    for (auto* run : of_->under_way) {
      if (!run->learned_) {
        if (!run->said_ || !run->said_->known(wait)) return false;
        run->learned_ = true;
        of_->bound().learn(run->said_->united()[1], run->number_);
      }
      if (run == this) return true;
    }
    return learned_;
  }
  /// Whether all ranks are known to be content, or else throws.
  bool is_cleared(bool wait) {
    if (cleared_ || !learns(wait)) return cleared_;
    if (said_->complains()) {
      of_->bound().give_back(by_);
      said_->rethrow();
    }
    cleared_ = true;
    if (!begun_) begin_passes();
    by_.execution->release_hold();
    return true;
  }
  [[nodiscard]] planner::array_memory lying() const {
    return learned_ ? of_->lying_of(facade::have_same_numbers(said_->united()[0])) : planner::array_memory::own;
  }
  void begin_passes() {
    by_.execution->begin(arrays_.in, arrays_.out, &of_->watch(way_, {by_.lying}), true, !cleared_);
    begun_ = true;
  }
  [[nodiscard]] bool may_go_on() { return begun_ && by_.execution->ready(); }

  /// Whatever run of the plan can go on does so meanwhile.
  void wait_among_others() {
    for (bool idle = false; !is_cleared(false) || !by_.execution->done();) {
      auto* const next = may_go_on() ? this : ready_other();
      if (next == nullptr && !idle && cleared_) by_.execution->begin_wait();
      if (next != nullptr && idle && cleared_) by_.execution->end_wait();
      idle = next == nullptr && cleared_;
      if (next == nullptr) {
        std::this_thread::yield();
      } else {
        (void)next->by_.execution->advance(false);
      }
    }
  }
  /// One that has a complaint says so when it is waited for.
  [[nodiscard]] run_under_way* ready_other() const {
    for (auto* run : of_->under_way) {
      if (run == this) continue;
      if (!run->cleared_ && run->learns(false) && !run->said_->complains()) (void)run->is_cleared(false);
      if (run->may_go_on()) return run;
    }
    return nullptr;
  }

  std::shared_ptr<state> of_;  // while it is under way
  direction way_ = direction::forward;
  call_arrays arrays_;
  facade::footprint in_, out_;
  long long number_ = 0;
  std::optional<mpi::statement> said_;
  planner::bound::lent by_;
  bool learned_ = false;  // what all ranks said
  bool begun_ = false;    // passes, which may be on hold
  bool cleared_ = false;  // all ranks are content, and it goes on
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
                           const detail::array_terms* out_terms, std::exception_ptr complaint) {
  mpi::require_alive();
  if (tag_of_runs < 0) {
    // From now on, who lacks memory for a run has one all the same, to say so.
    mpi::agree(on.all, [&] {
      next_run = std::make_unique<run_under_way>();
      under_way.reserve(planner::bound::most_under_way + 1);
    });
    tag_of_runs = on.all.fresh_tag();
  }
  const auto here = arrays_at(in.data(), out.data());
  std::unique_ptr<detail::remaining_work> one_behind;
  try {
    one_behind = std::make_unique<run_under_way>();
    if (complaint) std::rethrow_exception(complaint);
    check(way, in, out, in_terms, out_terms);
    if (on.on != nullptr) {
      throw applicability_error("transforms on device '" + how.device +
                                "' cannot be started and waited for later; use forward() and backward(), with a "
                                "stream if something else shall go on meanwhile");
    }
    for (const auto lying : {planner::array_memory::own, planner::array_memory::shared}) {
      if (has_watch(way, {lying})) (void)watch(way, {lying});
    }
  } catch (...) {
    complaint = std::current_exception();
  }
  static_cast<run_under_way&>(*next_run).begin(self, way, here, complaint);
  return started(std::exchange(next_run, std::move(one_behind)));
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
