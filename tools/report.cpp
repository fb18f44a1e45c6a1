// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "weft/version.hpp"

namespace weft::tool {

timing summary_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const std::size_t n = seconds.size();
  return {seconds.front(), (seconds[(n - 1) / 2] + seconds[n / 2]) / 2, seconds.back()};
}

const char* name_of(precision element) { return element == precision::f32 ? "f32" : "f64"; }

const char* name_of(normalization scaling) {
  switch (scaling) {
    case normalization::none: return "none";
    case normalization::forward: return "forward";
    case normalization::backward: return "backward";
    case normalization::ortho: return "ortho";
  }
  return "none";
}

std::string short_mpi_version() {
  // "Open MPI v4.1.4, package: ..." and "MPICH Version:\t4.0.2\nMPICH Release date: ..."
  std::string text = mpi_version();
  text = text.substr(0, text.find_first_of(",\n"));
  const auto label = text.find("Version:");
  if (label != std::string::npos) text.erase(label, 8);
  std::string single_spaced;
  for (const char c : text) {
    const char plain = c == '\t' ? ' ' : c;
    if (plain != ' ' || (!single_spaced.empty() && single_spaced.back() != ' ')) single_spaced += plain;
  }
  return single_spaced;
}

bool has_fftw() {
  const auto names = local_names();
  return std::find(names.begin(), names.end(), "fftw") != names.end();
}

void require_writable(const char* option, const std::string& file, const ranks& all) {
  const bool nothing = file.empty() || file == "-";
  if (!all.from_root(!all.is_root() || nothing || std::ofstream(file, std::ios::app).good())) {
    throw usage_error(fmt::format("{}: cannot write '{}'; name a file in a folder that exists", option, file));
  }
}

void write_report(const std::string& json_target, const std::string& text, const nlohmann::ordered_json& json) {
  if (json_target == "-") {
    fmt::print("{}\n", json.dump(2));
  } else {
    fmt::print("{}", text);
    if (!json_target.empty()) std::ofstream(json_target) << json.dump(2) << '\n';
  }
  std::fflush(stdout);
}

}  // namespace weft::tool
