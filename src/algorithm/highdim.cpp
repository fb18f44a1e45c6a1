// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/all.hpp"
#include "algorithm/transposition.hpp"

namespace weft::algorithm {

// Grids of 3 to d-1 axes, one chain per exchange: [b0 b1 b2 *] T(3) R->[b0 b1 * b2] T(2) ...
proposal propose_highdim(const task& problem) {
  const auto d = static_cast<int>(problem.shape.size());
  if (d < 4) return {{}, "grids of three and more axes need at least four array axes"};
  auto schedules = transpose_between(problem, 3, d - 1, 1);
  if (schedules.empty()) return {{}, "the grid must have three or more axes"};
  return {std::move(schedules), {}};
}

}  // namespace weft::algorithm
