// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/all.hpp"
#include "algorithm/four_step.hpp"

namespace weft::algorithm {

// All axes at once, one exchange over the whole grid:
// [c0 c1 *] V T(4,2,0) W(2,0) R T(3,1) V, from and to the same distribution
proposal propose_cyclic(const task& problem) {
  return propose_four_step(problem, static_cast<int>(problem.shape.size()));
}

}  // namespace weft::algorithm
