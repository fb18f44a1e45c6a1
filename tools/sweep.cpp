// SPDX-License-Identifier: BSD-3-Clause
#include "sweep.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "progress.hpp"
#include "report.hpp"
#include "svg.hpp"
#include "transform_name.hpp"
#include "weft/error.hpp"
#include "weft/explain.hpp"
#include "weft/version.hpp"

namespace weft::tool {

namespace {

using json = nlohmann::ordered_json;

/// A grid with an axis of one rank does what the grid without it does, at the same price.
constexpr double same_price = 1e-9;

/// The cheapest of another algorithm that does something else on as many ranks: `brick` has schedules of `slab` and
/// `pencil`, too.
const candidate_estimate* runner_up_in(const explanation& found) {
  const candidate_estimate& best = found.candidates.front();
  std::set<std::string_view> own;
  for (const auto& c : found.candidates) {
    if (c.algorithm == best.algorithm) own.insert(c.schedule);
  }
  for (const auto& c : found.candidates) {
    const bool same = own.contains(c.schedule) || std::abs(c.seconds - best.seconds) <= same_price * best.seconds;
    if (!same && c.ranks == best.ranks) return &c;
  }
  return nullptr;
}

sweep_cell cell_of(const problem& what, const explanation& found) {
  const candidate_estimate& best = found.candidates.front();
  sweep_cell cell{.shape = what.shape,
                  .ranks = found.ranks,
                  .algorithm = best.algorithm,
                  .seconds = best.seconds,
                  .exchanges = static_cast<int>(best.exchanges.size()),
                  .ranks_used = best.ranks,
                  .in = without_boxes(best.in),
                  .out = without_boxes(best.out)};
  if (const candidate_estimate* const other = runner_up_in(found)) {
    cell.runner_up = other->algorithm;
    cell.runner_up_seconds = other->seconds;
  }
  return cell;
}

/// The model's first line is its name.
std::string name_in(const std::string& machine) {
  const std::string line = machine.substr(0, machine.find('\n'));
  return line.substr(std::min(line.size(), line.find(' ') + 1));
}

phase_diagram draw(const plan_settings& asked, const options& how, const ranks& all) {
  phase_diagram found;
  const progress_line progress(all);
  for (const extents& shape : asked.shapes) {
    problem what = asked.what;
    what.shape = shape;
    complete_transform(what);
    for (const int count : asked.rank_counts) {
      progress.say(fmt::format("{} on {} ranks", weft::to_text(shape), count));
      try {
        const auto plans = explain(what, how, count);
        found.machine = plans.machine;
        found.cells.push_back(cell_of(what, plans));
      } catch (const weft::error& e) {
        found.cells.push_back({.shape = shape, .ranks = count, .reason = e.what()});
      }
    }
  }
  const auto planned = [](const sweep_cell& c) { return !c.algorithm.empty(); };
  if (std::ranges::none_of(found.cells, planned)) {
    throw usage_error("no shape has a plan on any number of ranks; the first says: " + found.cells.front().reason);
  }
  found.title =
      fmt::format("{} {}, from {} to {}, machine: {}", transform_name(asked.what), name_of(asked.what.element),
                  asked.what.in.text(), asked.what.out.text(), name_in(found.machine));
  return found;
}

}  // namespace

json to_json(const plan_settings& asked, const phase_diagram& found) {
  json all;
  all["version"] = version();
  all["transform"] = transform_name(asked.what);
  all["precision"] = name_of(asked.what.element);
  all["in"] = asked.what.in.text();
  all["out"] = asked.what.out.text();
  all["machine"] = found.machine;
  all["shapes"] = asked.shapes;
  all["rank_counts"] = asked.rank_counts;
  all["cells"] = json::array();
  for (const auto& c : found.cells) {
    json cell{{"shape", c.shape}, {"ranks", c.ranks}};
    if (c.algorithm.empty()) {
      cell["algorithm"] = nullptr;
      cell["reason"] = c.reason;
    } else {
      cell["algorithm"] = c.algorithm;
      cell["seconds"] = c.seconds;
      cell["exchanges"] = c.exchanges;
      cell["ranks_used"] = c.ranks_used;
      cell["in"] = c.in;
      cell["out"] = c.out;
      cell["runner_up"] = c.runner_up.empty() ? json(nullptr) : json(c.runner_up);
      cell["runner_up_seconds"] = c.runner_up.empty() ? json(nullptr) : json(c.runner_up_seconds);
    }
    all["cells"].push_back(cell);
  }
  return all;
}

std::string to_text(const plan_settings& asked, const phase_diagram& found) {
  std::vector<std::string> entries;
  std::size_t width = 0, label = std::string_view("ranks").size();
  for (const auto& c : found.cells) {
    std::string entry = c.algorithm.empty() ? "-" : c.algorithm;
    if (c.idle()) entry += fmt::format("@{}", c.ranks_used);
    if (!c.runner_up.empty()) entry += fmt::format(" {:.2f}", c.margin());
    width = std::max(width, entry.size());
    entries.push_back(std::move(entry));
  }
  for (const auto& shape : asked.shapes) label = std::max(label, weft::to_text(shape).size());
  std::string text = found.title +
                     ": the algorithm that the planner takes, @ the ranks that it uses if not all, and the runner-up's "
                     "time over its own\n";
  text += fmt::format("{:<{}}", "ranks", label);
  for (const int count : asked.rank_counts) text += fmt::format("  {:<{}}", count, width);
  for (std::size_t row = 0; row < asked.shapes.size(); ++row) {
    text += fmt::format("\n{:<{}}", weft::to_text(asked.shapes[row]), label);
    for (std::size_t i = 0; i < asked.rank_counts.size(); ++i) {
      const std::string& entry = entries[row * asked.rank_counts.size() + i];
      text += i + 1 < asked.rank_counts.size() ? fmt::format("  {:<{}}", entry, width) : "  " + entry;
    }
  }
  return text + "\n";
}

int sweep(const plan_settings& asked, const options& how, const ranks& all) {
  require_writable("--plot", asked.plot, all);
  const phase_diagram found = draw(asked, how, all);
  if (!all.is_root()) return 0;
  write_report(asked.json, to_text(asked, found), to_json(asked, found));
  const std::string note = asked.plot.empty() ? "" : write_plot(asked.plot, to_svg(asked, found));
  if (!note.empty()) fmt::print(stderr, "weft: {}\n", note);
  return 0;
}

}  // namespace weft::tool
