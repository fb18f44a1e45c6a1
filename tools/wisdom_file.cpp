// SPDX-License-Identifier: BSD-3-Clause
#include "wisdom_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace weft::tool {

std::string usual_wisdom_file() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string named = variable("WEFT_WISDOM");
  if (!named.empty()) return named == "none" ? "" : named;
  std::filesystem::path folder = variable("XDG_CACHE_HOME");
  if (folder.empty()) {
    const std::string home = variable("HOME");
    if (home.empty()) return {};
    folder = std::filesystem::path(home) / ".cache";
  }
  folder /= "weft";
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  return failed ? "" : (folder / "wisdom").string();
}

}  // namespace weft::tool
