// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm wins where: the plans of many shapes for many numbers of ranks, and their written forms.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ranks.hpp"
#include "settings.hpp"

namespace weft::tool {

struct sweep_cell {
  extents shape = {};
  int ranks = 0;
  std::string algorithm = {};  ///< the chosen one; empty if there is no plan
  std::string reason = {};     ///< why there is none
  double seconds = 0;
  int exchanges = 0;
  int ranks_used = 0;  ///< fewer where the planner leaves ranks idle
  std::string in = {}, out = {};
  /// The cheapest other algorithm that does something else on as many ranks. It may even be cheaper: see
  /// explanation::candidates.
  std::string runner_up = {};
  double runner_up_seconds = 0;

  [[nodiscard]] bool idle() const { return ranks_used < ranks && !algorithm.empty(); }
  /// Runner-up's time over the winner's; 0 without one.
  [[nodiscard]] double margin() const { return seconds > 0 ? runner_up_seconds / seconds : 0; }
};

struct phase_diagram {
  std::string title, machine;
  std::vector<sweep_cell> cells;  ///< shape by shape, ranks ascending within
};

[[nodiscard]] nlohmann::ordered_json to_json(const plan_settings& asked, const phase_diagram& found);
[[nodiscard]] std::string to_text(const plan_settings& asked, const phase_diagram& found);
/// Numbers of ranks across, shapes up.
[[nodiscard]] std::string to_svg(const plan_settings& asked, const phase_diagram& found);

/// Collective; `how` has the machine model. Returns the exit code.
int sweep(const plan_settings& asked, const options& how, const ranks& all);

}  // namespace weft::tool
