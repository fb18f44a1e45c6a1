// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

namespace weft::tool {

progress_line::progress_line(const ranks& all) : shown_(all.is_root() && isatty(STDERR_FILENO) != 0) {}

void progress_line::say(const std::string& text) const {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K{}", text);  // to the start of the line, and clear it
  std::fflush(stderr);
}

std::string bar_of(integer done, integer total) {
  constexpr std::size_t width = 20;
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  const auto full = std::min(width, static_cast<std::size_t>(share * width));
  return "[" + std::string(full, '#') + std::string(width - full, '-') + "]";
}

}  // namespace weft::tool
