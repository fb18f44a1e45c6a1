// SPDX-License-Identifier: BSD-3-Clause
#include "wisdom_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace weft::tool {

namespace {

/// Empty in a program with more rights than the user who set it.
std::string variable(const char* name) {
  const char* const value = secure_getenv(name);
  return value == nullptr ? "" : value;
}

/// Makes the folder, for this user alone, and says whether it is: others shall not choose what is read or written
/// there.
bool own(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder.parent_path(), failed);
  if (failed || (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST)) return false;
  struct stat facts {};
  return lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
         (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

std::string usual_wisdom_file() {
  const std::string named = variable("WEFT_WISDOM");
  if (!named.empty()) return named == "none" ? "" : named;
  std::filesystem::path cache = variable("XDG_CACHE_HOME");
  if (!cache.is_absolute()) cache = std::filesystem::path(variable("HOME")) / ".cache";
  const auto folder = cache / "weft";
  return cache.is_absolute() && own(folder) ? (folder / "wisdom").string() : "";
}

}  // namespace weft::tool
