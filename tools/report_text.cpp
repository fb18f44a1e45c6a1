// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "report.hpp"
#include "transform_name.hpp"
#include "weft/version.hpp"

namespace weft::tool {

namespace {

constexpr double noise_worth_a_note = 0.05;
// Below this the kernel's clock ticks are too coarse to tell a share.
constexpr double shortest_watch = 0.2;

std::string line(const char* label, const std::string& value) { return fmt::format("  {:<12}{}\n", label, value); }

std::string amount(integer bytes) {
  const auto b = static_cast<double>(bytes);
  if (b >= 0x1p30) return fmt::format("{:.2f} GiB", b * 0x1p-30);
  if (b >= 0x1p20) return fmt::format("{:.2f} MiB", b * 0x1p-20);
  if (b >= 0x1p10) return fmt::format("{:.1f} KiB", b * 0x1p-10);
  return fmt::format("{} B", bytes);
}

std::string transform_text(const run_settings& asked) {
  const problem& what = asked.what;
  std::string text = fmt::format("{} {} of {}", transform_name(what), name_of(what.element), weft::to_text(what.shape));
  const auto axes = transformed_axes(what);
  if (axes.size() < what.shape.size() && what.kinds.empty()) text += fmt::format(", axes {}", fmt::join(axes, ","));
  if (what.kind == transform_kind::r2c) text += fmt::format(", axis {} halved", halved_axis(what));
  if (!what.modes.empty()) text += fmt::format(", modes {}", weft::to_text(what.modes));
  const auto add_box = [&](const char* name, const box& part) {
    if (!part.low.empty())
      text += fmt::format(", {} {} to {}", name, weft::to_text(part.low), weft::to_text(part.high));
  };
  add_box("input", what.input_box);
  add_box("output", what.output_box);
  if (!asked.sphere.empty()) text += fmt::format(", waves inside radii {}", fmt::join(asked.sphere, ","));
  if (what.batch > 1) text += fmt::format(", {}batch of {}", what.interleaved ? "interleaved " : "", what.batch);
  if (asked.how.scaling != normalization::none) text += fmt::format(", normalization {}", name_of(asked.how.scaling));
  if (asked.how.in_place) text += ", in place";
  if (asked.how.device != "cpu") text += fmt::format(", device {}", asked.how.device);
  return text + (asked.shared_arrays ? "" : ", private arrays");
}

std::string stage_table(const std::vector<stage_time>& stages) {
  double total = 0;
  std::size_t width = 0;
  for (const auto& s : stages) {
    total += s.seconds;
    width = std::max(width, without_boxes(s.stage).size());
  }
  std::string table;
  for (const auto& s : stages) {
    const double share = total > 0 ? s.seconds / total : 0;
    const auto bar = static_cast<std::size_t>(std::lround(24 * share));
    table += fmt::format("    {:<{}}  {:>10}  {:>3.0f}%  {}\n", without_boxes(s.stage), width, duration(s.seconds),
                         100 * share, std::string(bar, '#'));
  }
  return table;
}

std::string floor_text(const run_report& found) {
  if (!found.floor) return {};
  const time_floor& f = *found.floor;
  std::string text = fmt::format("{}, {:.0f}% of the minimum: {} at {:.1f} GB/s in {} pass{}", duration(f.seconds()),
                                 100 * found.floor_share(), amount(static_cast<integer>(f.bytes)), f.bandwidth * 1e-9,
                                 f.passes, f.passes == 1 ? "" : "es");
  if (f.flops > 0) text += fmt::format(", {:.3g} GFlop at {:.1f} GFlop/s", f.flops * 1e-9, f.rate * 1e-9);
  return line("floor", text);
}

std::string trace_text(const run_report& found) {
  if (!found.traced) return {};
  const trace_summary& t = *found.traced;
  std::string text =
      line("trace", fmt::format("one forward and backward in {}, in {} and {}; ranks exchange or wait for {:.0f}% to "
                                "{:.0f}% of it{}",
                                duration(t.seconds), t.file, t.chart, 100 * t.least_exchanging, 100 * t.most_exchanging,
                                t.clock_error > 0 ? ", clocks aligned to " + duration(t.clock_error) : ""));
  for (const auto& b : t.balance) text += "    " + to_text(b) + "\n";
  return text;
}

std::string check_text(const run_report& found) {
  std::string text;
  if (found.error_forward) text += fmt::format("forward {:.1e} against a serial transform, ", *found.error_forward);
  if (found.error_roundtrip) text += fmt::format("there and back {:.1e}, ", *found.error_roundtrip);
  if (found.input_kept && !*found.input_kept) text += "INPUT OVERWRITTEN, ";
  if (text.empty()) return "not checked";
  return text + fmt::format("limit {:.1e}: {}", found.tolerance, found.ok ? "ok" : "WRONG");
}

std::string noise_text(const noise& seen) {
  if (seen.seconds < shortest_watch) return {};
  if (seen.foreign <= noise_worth_a_note && seen.steal <= noise_worth_a_note) return {};
  return line("note", fmt::format("noisy: other processes took {:.0f}% and the hypervisor {:.0f}% of the CPU time",
                                  100 * seen.foreign, 100 * seen.steal));
}

}  // namespace

std::string duration(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3f} ms", seconds * 1e3);
  return fmt::format("{:.1f} us", seconds * 1e6);
}

std::string without_boxes(const std::string& text) {
  std::string result;
  std::size_t at = 0;
  for (auto open = text.find('{'); open != std::string::npos; open = text.find('{', at)) {
    result += text.substr(at, open - at);
    at = std::min(text.size(), text.find('}', open)) + 1;
  }
  return at < text.size() ? result + text.substr(at) : result;
}

std::string to_text(const run_settings& asked, const run_report& found) {
  const plan_report& plan = found.plan;
  const auto timed = [](const timing& t) {
    return fmt::format("min {}, median {}, max {}", duration(t.min), duration(t.median), duration(t.max));
  };
  std::string text = fmt::format("weft {}, {}\n", version(), short_mpi_version());
  text += line("transform", transform_text(asked));
  text += line("ranks", fmt::format("{} on grid {}{}", found.ranks, found.grid,
                                    asked.how.threads > 1 ? fmt::format(", {} threads each", asked.how.threads) : ""));
  text += line("from, to", fmt::format("{} -> {}", without_boxes(found.in), without_boxes(found.out)));
  text += line("method", fmt::format("algorithm {}, exchange {}, local {}", plan.algorithm, plan.exchange, plan.local));
  if (plan.led) text += line("passes", "rank 0 runs those of all ranks, which share one device");
  text += line("schedule", without_boxes(plan.schedule));
  text +=
      line("exchanges",
           fmt::format("{}; a rank moves at most {} to others, in {} message{}{}; workspace {}", plan.exchanges,
                       amount(plan.bytes), plan.messages, plan.messages == 1 ? "" : "s",
                       asked.how.message_tolerance > 0 ? " of " + plan.travels_as : "", amount(plan.workspace_bytes)));
  std::string planning = duration(found.plan_seconds);
  if (found.plan.timed > 0) planning += fmt::format(", {} ways timed", found.plan.timed);
  text += line("planning", planning);
  if (!found.plan.network.empty()) text += line("network", found.plan.network);
  if (!found.plan.wisdom.empty()) text += line("wisdom", found.plan.wisdom);
  if (found.plan.ranks < found.ranks) {
    text += line("idle",
                 fmt::format("{} of {} ranks: more would take longer", found.ranks - found.plan.ranks, found.ranks));
  }
  text +=
      line("forward", timed(found.forward) + (found.gflops > 0 ? fmt::format(" ({:.2f} GFlop/s)", found.gflops) : ""));
  text += stage_table(found.stages);
  text += floor_text(found);
  text += line("backward", timed(found.backward));
  text += trace_text(found);
  text += line("check", check_text(found));
  return text + noise_text(found.seen);
}

}  // namespace weft::tool
