// SPDX-License-Identifier: BSD-3-Clause
// What `weft run` found out, and its two written forms.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "floor.hpp"
#include "noise.hpp"
#include "ranks.hpp"
#include "settings.hpp"
#include "trace.hpp"
#include "weft/plan.hpp"

namespace weft::tool {

/// Seconds, maximum over ranks.
struct timing {
  double min = 0, median = 0, max = 0;
};

[[nodiscard]] timing summary_of(std::vector<double> seconds);

struct run_report {
  int ranks = 1;
  std::string grid, in, out;
  plan_report plan;  ///< messages, bytes and workspace: maxima over ranks
  double plan_seconds = 0;
  timing forward, backward;
  double gflops = 0;
  std::optional<time_floor> floor;  ///< none for an empty array, or where no time passes
  std::vector<stage_time> stages;   ///< seconds per forward transform, maximum over ranks
  std::optional<trace_summary> traced;
  std::optional<double> error_roundtrip, error_forward;
  std::optional<bool> input_kept;
  double tolerance = 0;
  noise seen;
  bool ok = true;

  /// How much of the fastest forward transform the floor explains.
  [[nodiscard]] double floor_share() const { return forward.min > 0 ? floor->seconds() / forward.min : 0; }
};

[[nodiscard]] nlohmann::ordered_json to_json(const run_settings& asked, const run_report& found);
[[nodiscard]] std::string to_text(const run_settings& asked, const run_report& found);

[[nodiscard]] std::string duration(double seconds);
/// Boxes of many ranks fill pages; people get "bricks", the JSON report has them all.
[[nodiscard]] std::string without_boxes(const std::string& text);
[[nodiscard]] const char* name_of(precision element);
[[nodiscard]] const char* name_of(normalization scaling);
/// The MPI library's name without the build details that follow it.
[[nodiscard]] std::string short_mpi_version();
/// Whether this build links FFTW, and is under the GPL for that.
[[nodiscard]] bool has_fftw();

/// Prints `text` for people, or writes `json` to where --json says; root only.
void write_report(const std::string& json_target, const std::string& text, const nlohmann::ordered_json& json);
/// Collective. Throws usage_error on every rank unless the file that `option` names, if any, can be written;
/// asked before the work is done.
void require_writable(const char* option, const std::string& file, const ranks& all);

}  // namespace weft::tool
