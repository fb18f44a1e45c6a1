// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/all.hpp"
#include "algorithm/transposition.hpp"

namespace weft::algorithm {

// [b0 * *]  T(2,1)  R->[* b0 *]  T(0)
proposal propose_slab(const task& problem) {
  if (problem.shape.size() < 2) return {{}, "slabs need an axis besides the transformed one"};
  auto schedules = transpose_between(problem, 1, 1, 1);
  if (schedules.empty())
    return {{}, "the grid must have one axis, and an axis besides the halved one must be free to split"};
  return {std::move(schedules), {}};
}

}  // namespace weft::algorithm
