// SPDX-License-Identifier: BSD-3-Clause
// From what a planner compared to what users read.
#pragma once

#include "planner/decide.hpp"
#include "weft/explain.hpp"

namespace weft::facade {

/// `chosen` and `trials` come from a plan; without them the comparison's first was chosen. `workspace`: of the chosen
/// one, in bytes, unless it was timed.
[[nodiscard]] explanation explanation_of(const planner::comparison& all, const problem& what, const options& how,
                                         const planner::machine& on, const planner::strategy* chosen,
                                         const std::vector<planner::trial>& trials, integer workspace);

}  // namespace weft::facade
