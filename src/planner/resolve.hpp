// From what a user asks for to a task for the algorithms. The batch becomes a leading axis that is
// neither transformed nor split.
#pragma once

#include "algorithm/algorithm.hpp"
#include "weft/problem.hpp"

namespace weft::planner {

/// Throws a typed error for anything out of its limits.
[[nodiscard]] algorithm::task resolve(const problem& what, const options& how, int ranks);

[[nodiscard]] distribution with_batch(const distribution& d, integer batch);
[[nodiscard]] distribution without_batch(const distribution& d, integer batch);
/// Batch arrays follow each other unless the layout itself names a stride for the batch.
[[nodiscard]] layout with_batch(const layout& l, const extents& local_shape, integer batch);

}  // namespace weft::planner
