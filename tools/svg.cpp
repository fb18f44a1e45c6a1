// SPDX-License-Identifier: BSD-3-Clause
#include "svg.hpp"

#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>

namespace weft::tool {

namespace {

// The text and the ground change with the reader's colours.
constexpr svg_colour common[] = {{"ground", "#ffffff", "#0d1117"}, {"value", "#59636e", "#9198a1"}};

std::string rules(std::span<const svg_colour> colours, bool dark) {
  std::string text = fmt::format("  text {{ fill: {}; }}\n", dark ? "#e6edf3" : "#1f2328");
  for (const auto& some : {std::span<const svg_colour>(common), colours}) {
    for (const svg_colour& c : some) text += fmt::format("  .{} {{ fill: {}; }}\n", c.name, dark ? c.dark : c.light);
  }
  return text;
}

/// Whether the program ran and was content.
bool run_program(std::array<const char*, 7> words) {
  pid_t child = 0;
  if (posix_spawnp(&child, words[0], nullptr, nullptr, const_cast<char**>(words.data()), environ) != 0) return false;
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

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

std::string text_at(double x, double y, std::string_view kind, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.6g}\" y=\"{:.6g}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y, kind, anchor,
                     escaped(text));
}

std::string rect_at(double x, double y, double width, double height, std::string_view kind, std::string_view tip) {
  const std::string start = fmt::format(
      "<rect x=\"{:.6g}\" y=\"{:.6g}\" width=\"{:.6g}\" height=\"{:.6g}\" class=\"{}\"", x, y, width, height, kind);
  return tip.empty() ? start + "/>\n" : start + "><title>" + escaped(tip) + "</title></rect>\n";
}

std::string svg_document(int width, int height, std::span<const svg_colour> colours, std::string_view body) {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n", width,
             height) +
         "<style>\n  text { font: 13px system-ui, \"DejaVu Sans\", sans-serif; }\n"
         "  .title { font-weight: 600; font-size: 15px; }\n" +
         rules(colours, false) + "  @media (prefers-color-scheme: dark) {\n" + rules(colours, true) +
         "  }\n</style>\n" + rect_at(0, 0, width, height, "ground") + std::string(body) + "</svg>\n";
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
