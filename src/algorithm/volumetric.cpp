// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/all.hpp"
#include "algorithm/four_step.hpp"

namespace weft::algorithm {

// Axis by axis, each exchange inside one grid axis:
// [c0 c1 *] V T(4,2,0) W(2,0) R T(1) R T(3) V
proposal propose_volumetric(const task& problem) { return propose_four_step(problem, 1); }

}  // namespace weft::algorithm
