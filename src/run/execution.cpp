// SPDX-License-Identifier: BSD-3-Clause
#include "run/execution.hpp"

#include <algorithm>
#include <chrono>

#include "device/device.hpp"
#include "weft/error.hpp"

namespace weft::run {

execution::execution(std::shared_ptr<const program> what, std::shared_ptr<workspace> memory,
                     const std::vector<exchange::company>& with, std::function<void()> progress)
    : what_(std::move(what)), memory_(std::move(memory)), progress_(std::move(progress)) {
  std::size_t most = 2;
  for (std::size_t i = 0; i < what_->exchanges.size(); ++i) {
    const auto& e = *what_->exchanges[i];
    channels_.push_back(e.by->open(e.problem, e.how, with[i]));
    if (e.how.one_image) most = std::max(most, 1 + static_cast<std::size_t>(e.problem.ranks));
  }
  source_buffers_.reserve(most);
  sink_buffers_.reserve(most);
}

execution::execution(program_list led, std::shared_ptr<workspace> memory, mpi::meeting end)
    : what_(led.front()), memory_(std::move(memory)), led_(std::move(led)), end_(std::move(end)) {
  for (const auto& p : led_) {
    if (p->steps.size() != what_->steps.size() || !p->shares()) throw internal_error("ranks have different steps");
  }
  source_buffers_.reserve(1 + static_cast<std::size_t>(what_->exchanges.front()->problem.ranks));
  sink_buffers_.reserve(source_buffers_.capacity());
}

void execution::run(const exchange::image& input, const exchange::image& output, stopwatch* watch, bool all_here) {
  const device::device* const on = what_->on;
  if (on == nullptr) return run_all(input, output, watch, all_here);
  memory_->begin_run(*on);
  try {
    run_all(input, output, watch, all_here);
  } catch (...) {
    memory_->end_run(*on);  // what it had begun may still be under way
    throw;
  }
  memory_->end_run(*on);
}

void execution::run_all(const exchange::image& input, const exchange::image& output, stopwatch* watch, bool all_here) {
  if (end_) return run_led(input, output, watch);
  if (watch == nullptr) {
    for (const step& s : steps(all_here)) run_step(s, waiting_for(s), input, output);
    return;
  }
  watch->begin_call();
  const device::device* const on = what_->on;
  const auto all = steps(all_here);
  if (on == nullptr) {
    for (const step& s : all) {
      &s == all.data() ? watch->begin(s.stage, s.doing) : watch->go_on(s.stage, s.doing);
      run_step(s, watch->around(waiting_for(s)), input, output);
    }
    if (!all.empty()) watch->end();
    return;
  }
  for (const step& s : all) {
    if (s.what == step::kind::pass) {
      watch->begin_on(*on, s.stage, s.doing);
      run_step(s, waiting_for(s), input, output);
      watch->end_on(*on);
      continue;
    }
    // Passes before it have times of their own.
    on->synchronize();
    const bool starts = s.what == step::kind::start;
    if (starts) channel(s.source.exchange).watch_copies(watch->recording());
    watch->begin(s.stage, s.doing);
    run_step(s, watch->around(waiting_for(s)), input, output);
    watch->end();
    if (!starts) continue;
    for (const auto& c : channel(s.source.exchange).copies()) {
      watch->beside(c.to_host ? activity::download : activity::upload, c.begin, c.end);
    }
  }
}

/// Who only waits has the time of the last stage, as if it had worked there.
void execution::run_led(const exchange::image& input, const exchange::image& output, stopwatch* watch) {
  if (watch != nullptr) watch->begin_call();
  const auto& steps = what_->steps;
  const device::device& on = *what_->on;
  for (std::size_t i = 0; led_.size() > 1 && i < steps.size(); ++i) {
    if (steps[i].what != step::kind::pass) continue;
    if (watch != nullptr) watch->begin_on(on, steps[i].stage, steps[i].doing);
    run_passes(i, input, output);
    if (watch != nullptr) watch->end_on(on);
  }
  on.synchronize();
  if (watch != nullptr) watch->begin(steps.back().stage, activity::wait);
  end_->hold();
  if (watch != nullptr) watch->end();
}

void execution::run_passes(std::size_t number, const exchange::image& input, const exchange::image& output) {
  for (std::size_t r = 0; r < led_.size(); ++r) {
    const step& s = led_[r]->steps[number];
    const auto on = buffers_of(s, input, output, static_cast<int>(r));
    s.work->execute(on.source, on.sink, memory_->scratch(), nullptr, nullptr);
  }
}

std::span<const step> execution::steps(bool all_here) const {
  const auto all = std::span<const step>(what_->steps);
  return all_here && !all.empty() && meets(all.front()) ? all.subspan(1) : all;
}

void execution::begin(const exchange::image& input, const exchange::image& output, stopwatch* watch, bool all_here,
                      bool on_hold) {
  input_ = input;
  output_ = output;
  watch_ = watch;
  rest_ = steps(all_here);
  asked_ = nullptr;
  call_ = watch_->begin_call();
  on_hold_ = on_hold;
}

/// Whether what the last step began has come so far that the next one need not wait, or waits for it.
bool execution::may_go_on(bool wait) {
  if (on_hold_ && (rest_.empty() || !is_quiet(rest_.front()))) return false;
  if (asked_ != nullptr) {
    auto& last = channel(asked_->source.exchange);
    if (!wait && !last.arrived()) return false;
    if (wait) {
      watch_->begin(asked_->stage, activity::wait);
      last.settle();
      watch_->end();
    }
    asked_ = nullptr;
  }
  const bool ends =
      !rest_.empty() && (rest_.front().what == step::kind::release || rest_.front().what == step::kind::finish);
  return wait || !ends || channel(rest_.front().source.exchange).left();
}

bool execution::advance(bool wait) {
  watch_->resume_call(call_);
  while (may_go_on(wait)) {
    if (rest_.empty()) return true;
    const step& s = rest_.front();
    rest_ = rest_.subspan(1);
    watch_->begin(s.stage, s.doing);
    run_step(s, watch_->around(waiting_for(s)), input_, output_);
    watch_->end();
    if (s.what != step::kind::pass) asked_ = &s;
  }
  return false;
}

/// Passes tell the exchange that they store for, and pause for whatever else is under way.
struct execution::tidings final : local::departures {
  tidings(exchange::channel* listener, const std::function<void()>& progress) : to(listener), others(progress) {}
  void stored(integer end) override {
    if (to != nullptr) to->stored(end);
  }
  void pause() override {
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    if (begin < next) return;
    others();
    const auto end = clock::now();
    next = end + pause_share * (end - begin);
  }

  /// MPI that finds nothing to move may give its time slice away, and on a busy machine that takes far longer than what
  /// it is for. So pauses take at most one part in so many of a pass.
  static constexpr int pause_share = 16;

  exchange::channel* to;
  const std::function<void()>& others;
  std::chrono::steady_clock::time_point next = {};
};

bool execution::is_quiet(const step& s) {
  if (s.what == step::kind::prepare) return channel(s.source.exchange).quiet();
  if (s.what != step::kind::pass || s.waits) return false;
  const int e = s.sink.exchange;
  return e < 0 || what_->exchanges[static_cast<std::size_t>(e)]->how.telling.positions.empty() || channel(e).quiet();
}

bool execution::meets(const step& s) const {
  return s.what == step::kind::prepare &&
         what_->exchanges[static_cast<std::size_t>(s.source.exchange)]->how.before == exchange::preparation::meeting;
}

execution::pass_buffers execution::buffers_of(const step& s, const exchange::image& input,
                                              const exchange::image& output, int rank) {
  const auto at = [&](area a) {
    exchange::image all = a == area::input ? input : a == area::output ? output : memory_->at(a);
    if (rank >= 0) all.mine = all.peers.empty() ? nullptr : all.peers[static_cast<std::size_t>(rank)];
    return all;
  };
  // The buffers that a map of an exchange numbers, `first` and `second` among its two images.
  const auto fill = [&](int exchange, area first, area second, std::vector<std::byte*>& list) {
    const auto one = at(first);
    list.assign(1, one.mine);
    if (exchange >= 0 && what_->exchanges[static_cast<std::size_t>(exchange)]->how.one_image) {
      list.insert(list.end(), one.peers.begin(), one.peers.end());
    } else {
      list.push_back(at(second).mine);
    }
    return local::buffer_list(list);
  };
  return {fill(s.source.exchange, s.source.to, s.source.from, source_buffers_),
          fill(s.sink.exchange, s.sink.from, s.sink.to, sink_buffers_)};
}

void execution::run_step(const step& s, local::arrivals* waiting, const exchange::image& input,
                         const exchange::image& output) {
  const auto at = [&](area a) { return a == area::input ? input : a == area::output ? output : memory_->at(a); };
  const auto from = [&] { return at(s.source.from); };
  const auto to = [&] { return at(s.source.to); };
  // Other ranks go on from here by what this one's passes stored and loaded.
  if (what_->on != nullptr && s.what != step::kind::pass) what_->on->synchronize();
  switch (s.what) {
    case step::kind::pass: {
      exchange::channel* const listener = s.sink.exchange < 0 ? nullptr : &channel(s.sink.exchange);
      tidings others(listener, progress_);
      local::departures* const leaving = progress_ ? static_cast<local::departures*>(&others) : listener;
      const auto on = buffers_of(s, input, output);
      s.work->execute(on.source, on.sink, memory_->scratch(), waiting, leaving);
      break;
    }
    case step::kind::prepare: channel(s.source.exchange).prepare(from(), to()); break;
    case step::kind::start: channel(s.source.exchange).start(from(), to()); break;
    case step::kind::release: channel(s.source.exchange).release(); break;
    case step::kind::finish: channel(s.source.exchange).finish(); break;
  }
}

}  // namespace weft::run
