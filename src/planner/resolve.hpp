// SPDX-License-Identifier: BSD-3-Clause
// From what a user asks for to a task for the algorithms. The batch becomes an axis that is neither transformed nor
// split: the first, or the last if the arrays are interleaved.
#pragma once

#include "algorithm/algorithm.hpp"
#include "weft/problem.hpp"

namespace weft::planner {

/// Throws a typed error for anything out of its limits.
[[nodiscard]] algorithm::task resolve(const problem& what, const options& how, int ranks);

/// What the arrays on the two sides of a transform of these kinds are.
[[nodiscard]] transform_kind arrays_of(const std::vector<line_kind>& kinds);
/// What each axis becomes, without the batch; throws likewise.
[[nodiscard]] std::vector<line_kind> kinds_of(const problem& what);

/// How the arrays of a batch lie.
struct stacking {
  integer batch = 1;
  bool interleaved = false;
};
[[nodiscard]] inline stacking stacking_of(const problem& what) { return {what.batch, what.interleaved}; }

/// With and without the axis of the batch.
[[nodiscard]] distribution with_batch(const distribution& d, const stacking& how);
[[nodiscard]] distribution without_batch(const distribution& d, const stacking& how);
/// A user's layout, in which the stride of the batch comes first, if it has one, with all strides in the order of axes.
[[nodiscard]] layout with_batch(const layout& l, const extents& local_shape, const stacking& how);

}  // namespace weft::planner
