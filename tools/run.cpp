// SPDX-License-Identifier: BSD-3-Clause
#include "run.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "check.hpp"
#include "field.hpp"
#include "floor.hpp"
#include "machine_file.hpp"
#include "noise.hpp"
#include "placed_array.hpp"
#include "report.hpp"
#include "sphere.hpp"
#include "trace.hpp"
#include "transform_name.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace weft::tool {

namespace {

/// A plan, its input and its output.
class trial {
 public:
  trial(const run_settings& asked, plan& made, const ranks& all) : asked_(&asked), plan_(&made), all_(&all) {
    const element_type in{asked.what.element, is_complex(asked.what, side::input)};
    const element_type out{asked.what.element, is_complex(asked.what, side::output)};
    const auto* const on = device_of(asked.how.device, all);
    bool room = true;
    try {
      const auto allocate = [&](side which) {
        if (asked.shared_arrays) return made.allocate(which);
        const auto bytes = [](integer elements, const element_type& e) {
          return static_cast<std::size_t>(elements) * e.bytes();
        };
        const std::size_t ins = bytes(made.input_elements(), in), outs = bytes(made.output_elements(), out);
        return private_memory(on, asked.how.in_place ? std::max(ins, outs) : which == side::input ? ins : outs);
      };
      in_ = placed_array(allocate(side::input));
      out_ = asked.how.in_place ? in_ : placed_array(allocate(side::output));
    } catch (const buffer_error&) {  // of this rank, or of the whole node if it shares arrays
      room = false;
    }
    if (!all.all(room)) {
      throw usage_error("not enough memory for the input and the output; take a smaller --shape or more nodes");
    }
    input_ = std::make_unique<field>(made.input(), made.rank(), asked.what, in, in_.here());
    output_ = std::make_unique<field>(made.output(), made.rank(), asked.what, out, out_.here());
  }

  void forward() { plan_->forward(in_.there(), out_.there()); }
  void backward() { plan_->backward(out_.there(), in_.there()); }

  /// Fills in the errors and whether they are within the limits.
  void check(run_report& found) {
    if (asked_->check == check_kind::none) return;
    const double length = transform_length(asked_->what);
    const normalization scaling = asked_->how.scaling;
    fill();
    forward();
    if (!asked_->how.in_place) {
      pull(in_);
      found.input_kept = all_->sum(input_->compare_with_input(asked_->seed, 1).difference) == 0;
      found.ok = found.ok && *found.input_kept;
    }
    if (asked_->check == check_kind::full) {
      pull(out_);
      const double scale = scaling == normalization::forward ? 1 / length
                           : scaling == normalization::ortho ? 1 / std::sqrt(length)
                                                             : 1;
      found.error_forward = compare_with_serial(*output_, asked_->what, asked_->seed, scale, *all_).relative(*all_);
      found.ok = found.ok && *found.error_forward <= found.tolerance;
    }
    const double grown = scaling == normalization::none ? length : 1;
    if (const auto back = there_and_back(grown)) {
      found.error_roundtrip = back->relative(*all_);
      found.ok = found.ok && *found.error_roundtrip <= found.tolerance;
    }
  }

  /// None where neither way round gives back what it began with: something is left out on both sides, or modes of a
  /// real field without their mirror images.
  [[nodiscard]] std::optional<deviation> there_and_back(double grown) {
    const auto& what = asked_->what;
    const bool all_points = what.input_box.low.empty(), all_modes = what.modes.empty() && what.output_box.low.empty();
    if (all_modes) return input_again(grown);
    if (!all_points || (!what.output_box.low.empty() && halved_axis(what) >= 0)) return std::nullopt;
    return modes_again(grown);
  }
  /// What is left of the input after forward and now backward.
  [[nodiscard]] deviation input_again(double grown) {
    backward();
    pull(in_);
    return input_->compare_with_input(asked_->seed, grown);
  }
  /// Where modes were dropped: what is left of the others after backward and forward.
  [[nodiscard]] deviation modes_again(double grown) {
    pull(out_);
    return with_typed_pointer(*output_, [&](const auto* modes) {
      const std::vector before(modes, modes + plan_->output_elements());
      backward();
      forward();
      pull(out_);
      deviation total;
      for (std::size_t i = 0; i < before.size(); ++i) {
        const std::complex<double> got(modes[i]), due(grown * std::complex<double>(before[i]));
        total.add({std::norm(got - due), std::norm(due)});
      }
      return total;
    });
  }

  /// One repetition more, which is recorded and not timed.
  [[nodiscard]] trace record() {
    fill();
    plan_->record_timeline(true);
    all_->barrier();
    forward();
    all_->barrier();
    backward();
    plan_->record_timeline(false);
    return gather_trace(*plan_, *all_);
  }

  void measure(run_report& found) {
    // Every repetition starts from fresh data: without normalisation they would grow past all limits.
    for (int k = 0; k < asked_->warmup; ++k) {
      fill();
      forward();
      backward();
    }
    plan_->reset_stage_times();
    std::vector<double> there, back;
    const noise_watch watch(*all_);
    for (int k = 0; k < asked_->reps; ++k) {
      fill();
      there.push_back(time_of(*all_, [this] { forward(); }));
      back.push_back(time_of(*all_, [this] { backward(); }));
    }
    found.seen = watch.stop();
    found.forward = summary_of(there);
    found.backward = summary_of(back);
    for (auto s : plan_->stage_times()) {
      s.seconds = all_->max(s.seconds) / asked_->reps;
      found.stages.push_back(std::move(s));
    }
  }

 private:
  /// The random input, where the plan reads it. What the host keeps of it elsewhere need not be made again.
  void fill() {
    if (!filled_) input_->fill(asked_->seed);
    filled_ = in_.is_apart();
    in_.push();
  }
  void pull(const placed_array& what) {
    what.pull();
    filled_ = filled_ && what.here() != in_.here();
  }

  const run_settings* asked_;
  plan* plan_;
  const ranks* all_;
  placed_array in_, out_;
  bool filled_ = false;  // the host's copy of the input is the random one
  std::unique_ptr<field> input_, output_;
};

/// Refuses what cannot fit before anything is allocated: the kernel would rather kill a process late
/// than refuse it memory early.
void check_memory(const run_settings& asked, const ranks& all) {
  const double physical = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const node_ranks node(all);
  const double available = all.sum(node.is_root() ? physical : 0.0);
  const double copies = asked.how.in_place ? 1 : 2;
  double needed =
      copies * static_cast<double>(asked.what.batch) * static_cast<double>(complex_bytes(asked.what.element));
  for (const integer n : asked.what.shape) needed *= static_cast<double>(n);
  if (!is_complex(asked.what, side::input)) needed /= 2;
  if (needed > available) {
    throw usage_error(fmt::format(
        "--shape {}{} needs {:.1f} GiB for input and output, there are {:.1f} GiB in all; "
        "take a smaller shape or more nodes",
        weft::to_text(asked.what.shape), asked.what.batch > 1 ? fmt::format(" --batch {}", asked.what.batch) : "",
        needed * 0x1p-30, available * 0x1p-30));
  }
}

/// The grid that balanced boxes lie on; just the number of boxes for any others.
std::string grid_of_boxes(const std::vector<box>& boxes) {
  std::vector<int> grid;
  for (std::size_t l = 0; l < boxes.front().low.size(); ++l) {
    std::set<integer> starts;
    for (const box& b : boxes) starts.insert(b.low[l]);
    grid.push_back(static_cast<int>(starts.size()));
  }
  const weft::grid lattice(grid);
  return lattice.size() == static_cast<int>(boxes.size()) ? lattice.text() : std::to_string(boxes.size());
}

std::string grid_of(const plan& made, const options& how) {
  if (how.grid != "auto") return how.grid;
  if (made.input().on().axes() > 0) return made.input().on().text();
  if (made.output().on().axes() > 0) return made.output().on().text();
  return grid_of_boxes(made.input().boxes());
}

/// Without the grid where it is the one the report names.
std::string text_of(const distribution& d, const std::string& grid) {
  return d.on().text() == grid ? d.chains_text() : d.text();
}

run_report describe(const plan& made, const run_settings& asked, const ranks& all) {
  run_report found;
  found.ranks = all.size();
  found.grid = grid_of(made, asked.how);
  found.in = text_of(made.input(), found.grid);
  found.out = text_of(made.output(), found.grid);
  found.plan = made.report();
  found.plan.messages = all.max(found.plan.messages);
  found.plan.bytes = all.max(found.plan.bytes);
  found.plan.workspace_bytes = all.max(found.plan.workspace_bytes);
  found.tolerance = tolerance(asked.what) + 2 * asked.how.message_tolerance;  // there and back
  return found;
}

std::string trace_title(const run_settings& asked, const run_report& found) {
  return fmt::format("{} {} of {} on {} rank{}, {}, {}", transform_name(asked.what), name_of(asked.what.element),
                     weft::to_text(asked.what.shape), found.ranks, found.ranks == 1 ? "" : "s", found.plan.algorithm,
                     found.plan.exchange);
}

double gflops_of(const problem& what, double seconds) {
  const double points = static_cast<double>(volume(what.shape)) * static_cast<double>(what.batch);
  const double length = transform_length(what);
  return length > 1 && seconds > 0 ? 5e-9 * points * std::log2(length) / seconds : 0;
}

}  // namespace

int run(const run_settings& given, const ranks& all) {
  run_settings asked = given;
  require_writable("--json", asked.json, all);
  if (!asked.trace.empty()) {
    require_writable("--trace", asked.trace, all);
    require_writable("--trace", chart_beside(asked.trace), all);
  }
  check_memory(asked, all);
  asked.how.machine = machine_text(asked.machine_file, asked.how.wisdom, all);
  if (!asked.sphere.empty()) {
    const run_report found = run_sphere(asked, all);
    if (all.is_root()) write_report(asked.json, to_text(asked, found), to_json(asked, found));
    return found.ok ? 0 : 1;
  }
  std::unique_ptr<plan> made;
  std::unique_ptr<trial> attempt;
  double plan_seconds = 0;
  try {
    plan_seconds = time_of(all, [&] { made = std::make_unique<plan>(asked.what, all.communicator(), asked.how); });
    attempt = std::make_unique<trial>(asked, *made, all);
  } catch (const weft::error& e) {
    throw usage_error(e.what());
  }
  run_report found = describe(*made, asked, all);
  found.plan_seconds = plan_seconds;
  attempt->check(found);
  attempt->measure(found);
  found.gflops = gflops_of(asked.what, found.forward.median);
  const trace recorded = asked.trace.empty() ? trace{} : attempt->record();
  attempt.reset();  // the copies may need its room
  if (asked.floor) found.floor = measure_floor(asked.what, found.plan.local, found.plan.threads, all);
  if (!all.is_root()) return found.ok ? 0 : 1;
  std::string note;
  if (!asked.trace.empty()) found.traced = write_trace(recorded, asked.trace, trace_title(asked, found), note);
  write_report(asked.json, to_text(asked, found), to_json(asked, found));
  if (!note.empty()) fmt::print(stderr, "weft: {}\n", note);
  return found.ok ? 0 : 1;
}

}  // namespace weft::tool
