// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "algorithm/all.hpp"
#include "algorithm/four_step.hpp"

namespace weft::algorithm {

namespace {

/// Subsets of more axes than this would cost more to search than they can save.
constexpr std::size_t most_axes = 4;

}  // namespace

// Some axes by four-step and the others by transposition, in one schedule.
proposal propose_mixed(const task& problem) {
  if (!problem.keeps_all()) return {{}, all_modes_only};
  if (!problem.in || problem.in->is_bricks()) return {{}, "the input is not cyclic"};
  std::vector<int> cyclic;
  bool others = false;
  for (const auto& [axis, how, mirrors] : distributed_transforms(problem, *problem.in)) {
    if (how == axis_split::none) {
      others = true;
    } else {
      cyclic.push_back(axis);
    }
  }
  if (cyclic.empty() || (cyclic.size() == 1 && !others)) {
    return {{},
            "it takes an axis that is cyclic over p ranks with p dividing n/p or n/p dividing p, and another that "
            "is split"};
  }
  if (cyclic.size() > most_axes) {
    cyclic.resize(most_axes);
    others = true;
  }
  std::vector<schedule> schedules;
  const unsigned all = (1U << cyclic.size()) - 1;
  for (unsigned chosen = 1; chosen <= all; ++chosen) {
    if (chosen == all && !others) continue;  // that is the algorithm cyclic
    std::vector<int> axes;
    for (std::size_t i = 0; i < cyclic.size(); ++i) {
      if ((chosen >> i & 1U) != 0) axes.push_back(cyclic[i]);
    }
    for (auto& s : digit_transpositions(problem, *problem.in, axes, static_cast<int>(problem.shape.size()))) {
      schedules.push_back(std::move(s));
    }
  }
  if (schedules.empty()) return {{}, "the digits would have too many axes, or no transposition leads through them"};
  return {std::move(schedules), {}};
}

}  // namespace weft::algorithm
