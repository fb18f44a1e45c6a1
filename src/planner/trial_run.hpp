// SPDX-License-Identifier: BSD-3-Clause
// Times a bound plan on arrays of its own.
#pragma once

#include "planner/bound.hpp"

namespace weft::planner {

/// Least seconds of one forward transform, as the slowest rank sees it; the same on every rank. Gives up when it is
/// clearly slower than `best`. Collective; throws buffer_error where there is no room for the arrays.
[[nodiscard]] double least_seconds(bound& result, const options& how, const crew& on, double best);

}  // namespace weft::planner
