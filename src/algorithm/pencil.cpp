// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/all.hpp"
#include "algorithm/transposition.hpp"

namespace weft::algorithm {

// [b0 b1 *] T(2) R->[b0 * b1] T(1) R->[* b0 b1] T(0)
proposal propose_pencil(const task& problem) {
  if (problem.shape.size() < 3) return {{}, "pencils need at least three axes"};
  auto schedules = transpose_between(problem, 2, 2, 1);
  if (schedules.empty()) return {{}, "the grid must have two axes"};
  return {std::move(schedules), {}};
}

}  // namespace weft::algorithm
