// SPDX-License-Identifier: BSD-3-Clause
// Pieces of the pictures that the program draws: SVG that reads well on white and on black.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weft::tool {

/// A class of shapes and its colour on a light and on a dark ground.
struct svg_colour {
  const char* name;
  const char* light;
  const char* dark;
};

[[nodiscard]] std::string escaped(std::string_view text);
/// `kind` is a class: one of the picture's colours, or `title`, `name` or `value`.
[[nodiscard]] std::string text_at(double x, double y, std::string_view kind, std::string_view anchor,
                                  std::string_view text);
/// `tip`, unless empty, is shown by viewers that the mouse asks.
[[nodiscard]] std::string rect_at(double x, double y, double width, double height, std::string_view kind,
                                  std::string_view tip = {});
[[nodiscard]] std::string svg_document(int width, int height, std::span<const svg_colour> colours,
                                       std::string_view body);

/// Writes the SVG, and a PNG beside it where rsvg-convert is there to make one; root only. Returns a note about what
/// could not be written, or nothing.
[[nodiscard]] std::string write_plot(const std::string& file, const std::string& svg);

}  // namespace weft::tool
