// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "algorithm/all.hpp"
#include "algorithm/four_step.hpp"

namespace weft::algorithm {

// More ranks on an axis than its square root: one more digit, and one more exchange, for each n/p in p.
// [c0] V(4x4x4) T(0) W(0) R[c0 * c1] T(1) W(1) R[c1 c0 *] T(2) V
proposal propose_groupcyclic(const task& problem) {
  if (!problem.keeps_all()) return {{}, all_modes_only};
  if (!problem.in || problem.in->is_bricks()) return {{}, "the input is not cyclic"};
  std::vector<int> axes;
  bool beyond = false;
  for (const auto& [axis, how, mirrors] : distributed_transforms(problem, *problem.in)) {
    beyond = beyond || how == axis_split::group_cyclic;
    if (how != axis_split::none) axes.push_back(axis);
  }
  if (!beyond) {
    return {{}, "no cyclic axis of n elements is on more ranks p than its root, with n/p (2 or more) dividing p"};
  }
  auto schedules = digit_transpositions(problem, *problem.in, axes, static_cast<int>(problem.shape.size()));
  if (schedules.empty()) return {{}, "the digits would have too many axes, or too many grid axes"};
  return {std::move(schedules), {}};
}

}  // namespace weft::algorithm
