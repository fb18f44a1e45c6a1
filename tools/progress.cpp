#include "progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

namespace weft::tool {

progress_line::progress_line(const ranks& all) : shown_(all.is_root() && isatty(STDERR_FILENO) != 0) {}

void progress_line::say(const std::string& text) const {
  if (shown_) fmt::print(stderr, "\r\033[K{}", text);  // to the start of the line, and clear it
}

}  // namespace weft::tool
