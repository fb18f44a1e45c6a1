// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>

#include "bench.hpp"
#include "svg.hpp"

namespace weft::tool {

namespace {

constexpr int margin = 24, bar_height = 16, line_height = 22, title_height = 34, group_gap = 18;
constexpr int label_width = 400, bar_width = 420, value_width = 190;

// They keep their contrast on white and on black.
constexpr svg_colour colours[] = {{"weft", "#2a78d6", "#4c9aff"}, {"peer", "#9aa4af", "#6e7781"}};

/// Fastest first.
std::string group(const bench_case& c, int top) {
  std::vector<bench_entry> entries = c.entries;
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.seconds.min < b.seconds.min; });
  const double longest = entries.back().seconds.min;
  std::string title = title_of(c.what);
  if (c.ratios.any) title += fmt::format(": fastest peer / fastest Weft {:.2f}", *c.ratios.any);
  if (c.ratios.same) title += fmt::format(", {:.2f} in the input's distribution", *c.ratios.same);
  std::string svg = text_at(margin, top + 18, "title", "start", title);
  int y = top + title_height;
  for (const bench_entry& e : entries) {
    const double length = longest > 0 ? bar_width * e.seconds.min / longest : 0;
    const int base = y + 13;
    svg += text_at(margin + label_width - 10, base, "name", "end", e.who.library + " " + e.who.variant);
    svg += rect_at(margin + label_width, y, std::max(1.0, length), bar_height, e.who.is_weft ? "weft" : "peer");
    const std::string value =
        fmt::format("{:.3g} ms, {:.1f} GFlop/s{}", 1e3 * e.seconds.min, e.gflops, e.ok ? "" : ", BAD");
    svg += text_at(margin + label_width + length + 8, base, "value", "start", value);
    y += line_height;
  }
  return svg;
}

int group_height(const bench_case& c) {
  return title_height + line_height * static_cast<int>(c.entries.size()) + group_gap;
}

}  // namespace

std::string to_svg(const bench_report& found) {
  constexpr int width = 2 * margin + label_width + bar_width + value_width;
  int height = 2 * margin;
  std::string groups;
  for (const bench_case& c : found.cases) {
    groups += group(c, height - margin);
    height += group_height(c);
  }
  const std::string caption =
      fmt::format("Least time of one forward transform, {} rank{}; Weft blue, peers grey; shorter is better",
                  found.ranks, found.ranks == 1 ? "" : "s");
  return svg_document(width, height, colours, groups + text_at(margin, height - margin + 4, "value", "start", caption));
}

}  // namespace weft::tool
