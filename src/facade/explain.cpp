// SPDX-License-Identifier: BSD-3-Clause
#include "facade/explain.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "index/chain.hpp"
#include "planner/resolve.hpp"
#include "weft/error.hpp"

namespace weft {

using namespace core;

namespace {

std::string seconds_text(double seconds) {
  char text[32];
  if (seconds < 1e-3) {
    std::snprintf(text, sizeof text, "%.1f us", seconds * 1e6);
  } else if (seconds < 1) {
    std::snprintf(text, sizeof text, "%.2f ms", seconds * 1e3);
  } else {
    std::snprintf(text, sizeof text, "%.3f s", seconds);
  }
  return text;
}

std::string bytes_text(double bytes) {
  char text[32];
  const int step = bytes < 1024 ? 0 : std::min(4, static_cast<int>(std::log2(bytes) / 10));
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::snprintf(text, sizeof text, step == 0 ? "%.0f %s" : "%.1f %s", bytes / std::exp2(10 * step), units[step]);
  return text;
}

std::string times_text(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", ratio);
  return text;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string filled(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

/// Nobody reads thousands of boxes: their number must do.
std::string for_people(const std::string& text) {
  constexpr std::ptrdiff_t most_boxes = 4;
  constexpr std::string_view start = "bricks{";
  std::string shorter;
  std::size_t at = 0;
  for (auto open = text.find(start); open != std::string::npos; open = text.find(start, at)) {
    const auto first = open + start.size(), close = std::min(text.size(), text.find('}', first));
    const auto boxes = std::string_view(text).substr(first, close - first);
    const auto count = std::ranges::count(boxes, ';') + 1;
    shorter += text.substr(at, first - at);
    shorter += count > most_boxes ? std::to_string(count) + " boxes" : std::string(boxes);
    at = close;
  }
  return shorter + text.substr(at);
}

/// The largest local array on the way, of the first rank, which has the most of block distributions.
double largest_array(const schedule& s, precision element) {
  double most = 0;
  for (const auto& stop : stations_of(s)) {
    const auto bytes = bytes_of(stop.element, element);
    most = std::max(most, static_cast<double>(stop.at.local_size(first_rank(stop.at))) * static_cast<double>(bytes));
  }
  return most;
}

candidate_estimate estimate_of(const planner::priced& p, const problem& what) {
  candidate_estimate result;
  result.algorithm = p.how.algorithm;
  result.schedule = to_text(p.how.forward);
  result.in = planner::without_batch(p.how.forward.input, planner::stacking_of(what)).text();
  result.out = planner::without_batch(output_of(p.how.forward), planner::stacking_of(what)).text();
  result.exchange = planner::exchanges_text(p.how.exchanges);
  result.local = p.how.local;
  result.threads = p.how.threads;
  result.parts = p.how.parts;
  result.ranks = p.ranks;
  result.seconds = p.seconds();
  result.compute_seconds = p.compute_seconds;
  result.passes = p.passes;
  result.array_bytes = largest_array(p.how.forward, what.element);
  for (const auto& e : p.exchanges) {
    const auto bytes = static_cast<integer>(e.element_bytes);
    result.exchanges.push_back({e.sent.near_messages, e.sent.near_elements * bytes, e.sent.far_messages,
                                e.sent.far_elements * bytes, e.seconds});
  }
  return result;
}

/// Why `c` is not the chosen one, which the model chose or something else did: wisdom, a measurement, a limit.
std::string verdict_on(const candidate_estimate& c, const candidate_estimate& chosen, bool by_model, bool measured,
                       const std::string& failure) {
  if (!failure.empty()) return "could not run: " + failure;
  if (c.measured_seconds && chosen.measured_seconds) {
    const double ratio = *c.measured_seconds / *chosen.measured_seconds;
    return ratio > 1.005 ? times_text(ratio) + " times as slow" : "as fast, but less promising";
  }
  const double ratio = chosen.seconds > 0 ? c.seconds / chosen.seconds : 1;
  const std::string untimed = measured ? ", not timed" : "";
  if (ratio >= 1.005) return times_text(ratio) + " times as dear" + untimed;
  if (c.ranks < chosen.ranks) return "no dearer, but leaves ranks idle" + untimed;
  if (c.exchanges.size() > chosen.exchanges.size()) return "no dearer, but has more exchanges" + untimed;
  if (ratio < 0.995) {
    return times_text(ratio) + " times as dear, but " +
           (by_model ? "the chosen one splits the axes that related arrays do" : "the choice was not the model's") +
           untimed;
  }
  return "no dearer, but later in the table" + untimed;
}

std::string line_of(const candidate_estimate& c, bool measured) {
  integer messages = 0;
  double bytes = 0;
  for (const auto& e : c.exchanges) {
    messages += e.node_messages + e.network_messages;
    bytes += static_cast<double>(e.node_bytes + e.network_bytes);
  }
  std::string line = padded(seconds_text(c.seconds), 10);
  if (measured) {
    line += padded(c.measured_seconds ? seconds_text(*c.measured_seconds) : "-", 11);
    line += padded(c.workspace_bytes ? bytes_text(static_cast<double>(*c.workspace_bytes)) : "-", 12);
  }
  line += padded(seconds_text(c.compute_seconds), 11) + padded(std::to_string(c.exchanges.size()), 11) +
          padded(std::to_string(messages), 10) + padded(bytes_text(bytes), 12) + padded(std::to_string(c.passes), 8) +
          padded(bytes_text(c.array_bytes), 12) + padded(std::to_string(c.ranks), 7) + "  " + filled(c.algorithm, 12) +
          filled(c.exchange + " ", 10) + filled(c.local, 5);
  if (c.threads > 1) line += " " + std::to_string(c.threads) + " threads";
  if (c.parts > 0) line += " " + std::to_string(c.parts) + " parts";
  return line + " " + for_people(c.in) + " -> " + for_people(c.out) + ": " + c.verdict + "\n";
}

}  // namespace

namespace facade {

explanation explanation_of(const planner::comparison& all, const problem& what, const options& how,
                           const planner::machine& on, const planner::strategy* chosen,
                           const std::vector<planner::trial>& trials, integer workspace) {
  const auto moving = planner::cargo_of(what, how);
  explanation result;
  result.machine = to_text(on);
  std::vector<std::string> failures;
  std::vector<planner::strategy> known;
  const auto add = [&](const planner::priced& p, const planner::trial* t) {
    if (std::ranges::find(known, p.how) != known.end()) return;
    known.push_back(p.how);
    result.candidates.push_back(estimate_of(p, what));
    if (t != nullptr && t->failure.empty()) {
      result.candidates.back().measured_seconds = t->seconds;
      result.candidates.back().workspace_bytes = t->workspace_bytes;
    }
    failures.push_back(t != nullptr ? t->failure : "");
  };
  std::vector<planner::trial> timed = trials;
  // A strategy that was timed twice counts once, with its better time.
  std::ranges::stable_sort(timed, {}, &planner::trial::seconds);
  const auto trial_of = [&](const planner::strategy& s) {
    const auto found = std::ranges::find(timed, s, &planner::trial::how);
    return found == timed.end() ? nullptr : &*found;
  };
  const planner::strategy& winner = chosen != nullptr ? *chosen : all.candidates.front().how;
  add(planner::price_of(winner, moving, on), trial_of(winner));
  for (const auto& t : timed) add(planner::price_of(t.how, moving, on), &t);
  for (const auto& p : all.candidates) add(p, nullptr);
  const bool by_model = winner == all.candidates.front().how;
  if (!result.candidates.front().workspace_bytes) result.candidates.front().workspace_bytes = workspace;
  for (std::size_t i = 0; i < result.candidates.size(); ++i) {
    auto& c = result.candidates[i];
    c.verdict = i == 0 ? "chosen" : verdict_on(c, result.candidates.front(), by_model, !trials.empty(), failures[i]);
  }
  for (const auto& r : all.refusals) {
    // What does not apply to all ranks may to fewer, and is then a candidate.
    if (std::ranges::find(result.candidates, r.algorithm, &candidate_estimate::algorithm) != result.candidates.end())
      continue;
    result.refused.push_back({std::string(r.algorithm), r.reason});
  }
  return result;
}

}  // namespace facade

explanation explain(const problem& what, const options& how, int ranks) {
  if (ranks < 1) throw argument_error("ranks = " + std::to_string(ranks) + "; use 1 or more");
  const auto task = planner::resolve(what, how, ranks);
  auto open = planner::freedom_of(how);
  open.threads = std::max(1, open.threads);
  auto on = how.deterministic ? planner::machine{} : planner::parse_machine(how.machine);
  if (open.on_device) on = planner::with_devices(on, open.ranks_of_device, false);
  const auto all = planner::compare(task, open, planner::cargo_of(what, how), on);
  const auto nodes = std::make_shared<const exchange::node_map>(ranks, std::min(ranks, on.ranks_per_node));
  const integer workspace = planner::workspace_of(what, how, task, all.candidates.front().how, nodes);
  auto result = facade::explanation_of(all, what, how, on, nullptr, {}, workspace);
  result.ranks = ranks;
  return result;
}

std::string explanation::text(std::size_t most) const {
  const bool measured = std::ranges::any_of(candidates, [](const auto& c) { return c.measured_seconds.has_value(); });
  std::string lines = std::string("     model") + (measured ? "   measured   workspace" : "") +
                      "    compute  exchanges  messages       bytes  passes       array  ranks  algorithm   engines\n";
  for (std::size_t i = 0; i < std::min(most, candidates.size()); ++i) lines += line_of(candidates[i], measured);
  if (candidates.size() > most) lines += "  and " + std::to_string(candidates.size() - most) + " more\n";
  for (const auto& r : refused) lines += "not " + r.algorithm + ": " + r.reason + "\n";
  if (!wisdom.empty()) lines += "wisdom: " + wisdom + "\n";
  if (!candidates.empty()) {
    const auto& chosen = candidates.front();
    if (chosen.ranks < ranks) {
      lines +=
          "uses " + std::to_string(chosen.ranks) + " of " + std::to_string(ranks) + " ranks: more would take longer\n";
    }
    lines += "workspace: " + bytes_text(static_cast<double>(*chosen.workspace_bytes)) + " on a rank\n";
    lines += "schedule: " + for_people(chosen.schedule) + "\n";
  }
  return lines;
}

}  // namespace weft
