#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "bench.hpp"

namespace weft::tool {

namespace {

constexpr int margin = 24, bar_height = 16, line_height = 22, title_height = 34, group_gap = 18;
constexpr int label_width = 400, bar_width = 420, value_width = 190;

// Colours that keep their contrast on white and on black; the text and the ground change.
constexpr const char* style = R"(<style>
  text { font: 13px system-ui, "DejaVu Sans", sans-serif; fill: #1f2328; }
  .title { font-weight: 600; font-size: 15px; }
  .value { fill: #59636e; }
  .ground { fill: #ffffff; }
  .weft { fill: #2a78d6; }
  .peer { fill: #9aa4af; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .value { fill: #9198a1; }
    .ground { fill: #0d1117; }
    .weft { fill: #4c9aff; }
    .peer { fill: #6e7781; }
  }
</style>
)";

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      default: safe += c;
    }
  }
  return safe;
}

std::string text_at(int x, int y, const char* kind, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, kind, anchor,
                     escaped(text));
}

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
    svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\" class=\"{}\"/>\n",
                       margin + label_width, y, std::max(1.0, length), bar_height, e.who.is_weft ? "weft" : "peer");
    const std::string value =
        fmt::format("{:.3g} ms, {:.1f} GFlop/s{}", 1e3 * e.seconds.min, e.gflops, e.ok ? "" : ", BAD");
    svg += text_at(margin + label_width + static_cast<int>(length) + 8, base, "value", "start", value);
    y += line_height;
  }
  return svg;
}

int group_height(const bench_case& c) {
  return title_height + line_height * static_cast<int>(c.entries.size()) + group_gap;
}

/// Whether the program ran and was content.
bool run_program(std::array<const char*, 7> words) {
  pid_t child = 0;
  if (posix_spawnp(&child, words[0], nullptr, nullptr, const_cast<char**>(words.data()), environ) != 0) return false;
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
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
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n", width,
             height) +
         style + fmt::format("<rect width=\"{}\" height=\"{}\" class=\"ground\"/>\n", width, height) + groups +
         text_at(margin, height - margin + 4, "value", "start", caption) + "</svg>\n";
}

std::string write_plot(const std::string& file, const std::string& svg) {
  std::ofstream out(file);
  out << svg;
  out.close();
  if (!out) return "could not write '" + file + "'";
  const std::string png = file.substr(0, file.rfind('.')) + ".png";
  if (run_program({"rsvg-convert", "--zoom", "2", "--output", png.c_str(), file.c_str(), nullptr})) return {};
  return "no PNG beside '" + file + "': rsvg-convert is not there or failed";
}

}  // namespace weft::tool
