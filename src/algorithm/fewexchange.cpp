// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/all.hpp"
#include "algorithm/transposition.hpp"

namespace weft::algorithm {

// As many chains per exchange as there are whole axes to take them:
// [b0 b1 * *] T(3,2) R->[* * b0 b1] T(1,0)
proposal propose_fewexchange(const task& problem) {
  const auto d = static_cast<int>(problem.shape.size());
  if (d < 4) return {{}, "moving several axes at once needs at least four array axes"};
  auto schedules = transpose_between(problem, 2, d - 1, d);
  if (schedules.empty()) return {{}, "the grid must have two or more axes"};
  return {std::move(schedules), {}};
}

}  // namespace weft::algorithm
