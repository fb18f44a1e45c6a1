// SPDX-License-Identifier: BSD-3-Clause
// What a plan is made of, and how it runs.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "device/device.hpp"
#include "facade/call.hpp"
#include "mpi/agreement.hpp"
#include "planner/arguments.hpp"
#include "planner/decide.hpp"
#include "planner/resolve.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace weft {

struct plan::state {
  problem what;
  options how;
  planner::crew on;
  algorithm::task task;
  planner::setting given;
  planner::decision decided;
  /// Programs for either kind of arrays, and those with a function of modes, have stages of their own.
  struct use {
    planner::array_memory lying{};
    bool with_function = false;
  };
  struct kept_times {
    use as;
    direction way;
    run::stopwatch watch;
  };
  std::array<std::optional<kept_times>, 8> times;  // by use and direction
  use last_used;
  bool recording = false;
  plan_report report;
  /// Shared arrays that allocate() made; the n-th is the same one on all ranks.
  struct shared_array {
    int number = -1;
    std::weak_ptr<std::byte> block;
    std::span<std::byte* const> peers;
  };
  std::vector<shared_array> arrays;
  int arrays_made = 0;
  class run_under_way;
  std::vector<run_under_way*> under_way;             // started, and not known to be done; in the order of starting
  std::unique_ptr<detail::remaining_work> next_run;  // of which `start` makes one under way
  long long runs_started = 0;
  int tag_of_runs = -1;                       // of what ranks tell each other about runs, once one was started
  layout input_layout, output_layout;         // with all strides
  integer input_count = 0, output_count = 0;  // elements of this rank's arrays

  state(const problem& w, const options& o, planner::crew c) : what(w), how(o), on(std::move(c)) {}

  /// All that may wait for other ranks. Whatever may fail on one of them alone is agreed.
  void decide() {
    std::vector<mpi::argument> arguments;
    mpi::agree(on.all, [&] { arguments = planner::arguments_of(what, how); });
    mpi::require_same(on.all, arguments);
    if (how.device != "cpu") on.use_device(how.device);
    mpi::agree(on.all, [&] { task = planner::resolve(what, how, on.all.size()); });
    planner::knowledge known;
    given = planner::setting_of(how, on, known);
    decided = planner::decide(what, how, task, given, known, on);
    mpi::agree(on.all, [&] {
      last_used = {bound().arrays};
      for (const auto way : {direction::forward, direction::backward}) (void)watch(way, last_used);
      const auto full = [&](const layout& l, const distribution& d) {
        return resolved(l, d.local_shape(on.all.rank()), what.batch, what.interleaved);
      };
      input_layout = full(how.input_layout, bound().described().input);
      output_layout = full(how.output_layout, bound().described().output);
      input_count = what.batch * bound().described().input.local_size(on.all.rank());
      output_count = what.batch * bound().described().output.local_size(on.all.rank());
      fill_report();
    });
  }

  [[nodiscard]] planner::bound& bound() { return *decided.how_bound; }
  [[nodiscard]] const planner::bound& bound() const { return *decided.how_bound; }
  [[nodiscard]] const std::vector<std::string>& stages(direction way, use as) {
    return bound().execution(way, as.lying, as.with_function).what().stages;
  }
  [[nodiscard]] static std::size_t number_of(direction way, use as) {
    return 4 * static_cast<std::size_t>(as.lying) + (as.with_function ? 2U : 0U) +
           (way == direction::forward ? 0U : 1U);
  }
  [[nodiscard]] bool has_watch(direction way, use as) const { return times[number_of(way, as)].has_value(); }
  [[nodiscard]] run::stopwatch& watch(direction way, use as) {
    auto& found = times[number_of(way, as)];
    if (!found) found.emplace(kept_times{as, way, run::stopwatch(stages(way, as).size())});
    auto& watch = found->watch;
    if (watch.recording() != recording) watch.record(recording);
    return watch;
  }

  void fill_report() {
    const auto& chosen = bound().chosen;
    report.algorithm = chosen.algorithm;
    report.local = chosen.local;
    report.threads = chosen.threads;
    report.ranks = std::max(bound().described().input.ranks(), bound().described().output.ranks());
    report.schedule = to_text(chosen.forward);
    report.exchanges = exchanges_of(chosen.forward);
    report.arrays = bound().arrays == planner::array_memory::shared ? "shared" : "private";
    report.wisdom = decided.wisdom;
    report.kept = decided.kept;
    report.network = given.network;
    report.timed = static_cast<int>(decided.trials.size());
    report_last_use();
  }
  /// What depends on the memory that the last call's arrays lie in.
  void report_last_use() {
    const auto& forward = bound().execution(direction::forward, last_used.lying, last_used.with_function).what();
    report.exchange = planner::exchanges_text(bound().exchanges(last_used.lying, last_used.with_function));
    report.led = bound().is_led(last_used.lying);
    // What lies in shared memory is whole.
    const bool narrow = bound().described().forward.narrow_messages &&
                        std::ranges::any_of(forward.exchanges, [](const auto& e) { return !e->by->shares; });
    const bool f64 = what.element == precision::f64;
    report.travels_as = f64 ? (narrow ? "f32" : "f64") : (narrow ? "bf16" : "f32");
    report.messages = forward.messages();
    report.bytes = forward.bytes_sent();
    report.workspace_bytes = bound().workspace_bytes();
  }

  /// What one side's array must have.
  [[nodiscard]] std::size_t bytes_of(bool of_input) const {
    return static_cast<std::size_t>(bound().array_bytes(of_input, how.in_place));
  }

  /// Whatever its memory, an array must be there, be large enough, and be another one than the other side's or not.
  void check(std::span<const std::byte> in, std::span<const std::byte> out, direction way) const {
    const bool forward = way == direction::forward;
    facade::require_room(in, bytes_of(forward), on.all.rank(), "the input");
    facade::require_room(out, bytes_of(!forward), on.all.rank(), "the output");
    // A device loads complex elements at once, from multiples of their size.
    const auto require_place = [&](std::span<const std::byte> array, const char* which) {
      facade::require_place(on.on, how.device, array, complex_bytes(what.element), on.all.rank(), which);
    };
    require_place(in, "the input");
    require_place(out, "the output");
    if (std::max(bound().described().input_elements, bound().described().output_elements) == 0) return;
    facade::require_apart(in, lies(in.data(), forward), out, lies(out.data(), !forward), how.in_place, on.all.rank());
  }

  /// Where one side's array at `data` has its elements.
  [[nodiscard]] facade::footprint lies(const std::byte* data, bool of_input) const {
    const auto& o = bound().described();
    return facade::footprint_of(data, (of_input ? input_layout : output_layout).offset,
                                of_input ? o.input_elements : o.output_elements, of_input ? input_count : output_count,
                                of_input ? o.input_bytes : o.output_bytes);
  }

  /// The array behind a pointer, if the plan made it in shared memory. Whoever passes it keeps it alive.
  [[nodiscard]] shared_array shared_at(const std::byte* pointer) const {
    for (const auto& a : arrays) {
      if (a.block.lock().get() == pointer && pointer != nullptr) return a;
    }
    return {};
  }

  void check(const detail::array_terms& got, bool of_input, const char* which) const {
    const auto& o = bound().described();
    facade::require_terms(got,
                          {of_input ? o.input : o.output, on.all.rank(), what.batch,
                           of_input ? input_layout : output_layout, got.local_shape},
                          which, "the plan needs", "; make it with make_input() or make_output()");
  }

  /// What a call works on, and the numbers that its arrays have here.
  struct call_arrays {
    exchange::image in, out;
    std::array<int, 2> numbers = {-1, -1};
  };
  [[nodiscard]] call_arrays arrays_at(const std::byte* in, const std::byte* out) const {
    const auto from = shared_at(in), to = shared_at(out);
    // The input is written only where binding was allowed to use it as scratch.
    return {
        {const_cast<std::byte*>(in), from.peers}, {const_cast<std::byte*>(out), to.peers}, {from.number, to.number}};
  }
  /// Throws unless this rank may make such a call. Without terms, arrays are taken as they are.
  void check(direction way, std::span<const std::byte> in, std::span<const std::byte> out,
             const detail::array_terms* in_terms, const detail::array_terms* out_terms) const {
    if (in_terms != nullptr) check(*in_terms, way == direction::forward, "input");
    if (out_terms != nullptr) check(*out_terms, way == direction::backward, "output");
    check(in, out, way);
    require_free(way, in.data(), out.data());
  }
  /// Ranks look into each other's arrays only if all passed the same ones.
  [[nodiscard]] planner::array_memory lying_of(bool same_numbers) const {
    return same_numbers ? bound().arrays : planner::array_memory::own;
  }

  /// Throws if a run under way writes one of these, or reads what would be written.
  void require_free(direction way, const std::byte* in, const std::byte* out) const;

  void run(direction way, std::span<const std::byte> in, std::span<std::byte> out,
           const detail::line_function* on_modes = nullptr, const detail::array_terms* in_terms = nullptr,
           const detail::array_terms* out_terms = nullptr, void* stream = nullptr) {
    const device::stream_scope scope(stream);
    if (bound().is_led(bound().arrays)) on.on->synchronize();  // whoever runs the passes waits for its own stream alone
    const auto call = arrays_at(in.data(), out.data());
    const use now{lying_of(facade::agree_on_call(
                      on.all, [&] { check(way, in, out, in_terms, out_terms); }, call.numbers, on_modes != nullptr)),
                  on_modes != nullptr};
    auto& times_here = watch(way, now);  // binds, if it is the first such use
    auto& execution = bound().execution(way, now.lying, now.with_function);
    last_used = now;
    bound().call_for_modes(on_modes);
    execution.run(call.in, call.out, &times_here, true);
    if (on.on == nullptr) return;
    // The host waits for a stream of the user's only to write down what happened there.
    if (stream == nullptr || recording) {
      on.on->synchronize();
      times_here.settle(*on.on);
    }
  }

  /// `self` is who keeps this state. Whoever has a complaint already takes part all the same.
  [[nodiscard]] started start(const std::shared_ptr<state>& self, direction way, std::span<const std::byte> in,
                              std::span<std::byte> out, const detail::array_terms* in_terms = nullptr,
                              const detail::array_terms* out_terms = nullptr, std::exception_ptr complaint = {});

  /// Shared where that is of use and there is room.
  [[nodiscard]] memory allocate(bool of_input) {
    const std::size_t bytes = bytes_of(of_input);
    if (bound().arrays == planner::array_memory::shared) {
      try {
        memory block;
        mpi::agree(on.all, [&] {
          block = on.shared->allocate(bytes);
          std::erase_if(arrays, [](const auto& a) { return a.block.expired(); });
          arrays.push_back({arrays_made, block.watched(), block.peers()});
        });
        ++arrays_made;
        return block;
      } catch (const buffer_error& e) {
        report.arrays = std::string("private: ") + e.what();
      }
    }
    memory block;
    mpi::agree(on.all, [&] { block = on.own().allocate(bytes); });
    return block;
  }
};

}  // namespace weft
