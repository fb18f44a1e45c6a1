// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>

#include "report.hpp"
#include "svg.hpp"
#include "sweep.hpp"
#include "weft/version.hpp"

namespace weft::tool {

namespace {

constexpr int margin = 24, cell_width = 78, top = 72;
constexpr double letter_width = 7.6;

/// Dark enough for white letters on either ground. An algorithm that is not here is grey.
constexpr svg_colour colours[] = {
    {"slab", "#2a78d6", "#2a78d6"},        {"pencil", "#c96f16", "#c96f16"},  {"highdim", "#8b5cc7", "#8b5cc7"},
    {"fewexchange", "#b8487e", "#b8487e"}, {"brick", "#7a6a53", "#7a6a53"},   {"cyclic", "#178474", "#178474"},
    {"volumetric", "#b83232", "#b83232"},  {"mixed", "#5a872c", "#5a872c"},   {"groupcyclic", "#4f63c9", "#4f63c9"},
    {"other", "#6e7781", "#6e7781"},       {"nothing", "#e4e8ec", "#22272e"}, {"inside", "#ffffff", "#ffffff"}};

std::string class_of(const std::string& algorithm) {
  if (algorithm.empty()) return "nothing";
  const bool known = std::ranges::any_of(colours, [&](const svg_colour& c) { return c.name == algorithm; });
  return known ? algorithm : "other";
}

std::string cell_at(const sweep_cell& c, double x, double y, double height) {
  const std::string tip =
      c.algorithm.empty()
          ? fmt::format("{} on {} ranks: {}", weft::to_text(c.shape), c.ranks, c.reason)
          : fmt::format("{} on {} of {} ranks: {} in {} from {} to {}; then {} in {}", weft::to_text(c.shape),
                        c.ranks_used, c.ranks, c.algorithm, duration(c.seconds), c.in, c.out,
                        c.runner_up.empty() ? "nothing" : c.runner_up, duration(c.runner_up_seconds));
  std::string svg = rect_at(x, y, cell_width - 2, height - 2, class_of(c.algorithm), tip);
  if (c.algorithm.empty()) return svg;
  const double middle = x + cell_width / 2.0 - 1;
  if (!c.runner_up.empty()) svg += text_at(middle, y + 17, "inside", "middle", fmt::format("× {:.2f}", c.margin()));
  svg += text_at(middle, y + 33, "inside", "middle", fmt::format("{} exch.", c.exchanges));
  return c.idle() ? svg + text_at(middle, y + 49, "inside", "middle", fmt::format("on {}", c.ranks_used)) : svg;
}

/// In the order of the algorithms' table.
std::string legend(const phase_diagram& found, double x, double y) {
  std::string svg;
  for (const auto& name : algorithm_names()) {
    if (std::ranges::find(found.cells, name, &sweep_cell::algorithm) == found.cells.end()) continue;
    svg += rect_at(x, y - 11, 12, 12, class_of(name)) + text_at(x + 18, y, "name", "start", name);
    x += 44 + letter_width * static_cast<double>(name.size());
  }
  return svg;
}

}  // namespace

std::string to_svg(const plan_settings& asked, const phase_diagram& found) {
  std::size_t longest = 0;
  for (const auto& shape : asked.shapes) longest = std::max(longest, weft::to_text(shape).size());
  const double left = margin + 8.4 * static_cast<double>(longest) + 12;
  const std::size_t columns = asked.rank_counts.size(), rows = asked.shapes.size();
  const double height = std::ranges::any_of(found.cells, &sweep_cell::idle) ? 58 : 42;
  const double bottom = top + height * static_cast<double>(rows);
  std::string body =
      text_at(margin, margin + 12, "title", "start", found.title) + text_at(margin, top - 8, "value", "start", "shape");
  for (std::size_t i = 0; i < found.cells.size(); ++i) {
    const std::size_t row = i / columns;
    body += cell_at(found.cells[i], left + cell_width * static_cast<double>(i % columns),
                    bottom - height * static_cast<double>(row + 1), height);
  }
  for (std::size_t row = 0; row < rows; ++row) {
    body += text_at(left - 10, bottom - height * (static_cast<double>(row) + 0.5) + 4, "name", "end",
                    weft::to_text(asked.shapes[row]));
  }
  for (std::size_t i = 0; i < columns; ++i) {
    body += text_at(left + cell_width * (static_cast<double>(i) + 0.5), bottom + 18, "name", "middle",
                    std::to_string(asked.rank_counts[i]));
  }
  body += text_at(left - 10, bottom + 18, "value", "end", "ranks");
  body += legend(found, left, bottom + 48);
  body += text_at(margin, bottom + 76, "value", "start",
                  "Taken by the planner, on so many ranks if not all; × : the runner-up algorithm's time over it, by "
                  "the machine model");
  const double width = std::max(left + cell_width * static_cast<double>(columns), 640.0) + margin;
  return svg_document(static_cast<int>(width), static_cast<int>(bottom) + 76 + margin, colours, body);
}

}  // namespace weft::tool
