// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/all.hpp"
#include "algorithm/transposition.hpp"

namespace weft::algorithm {

// Everything on rank 0: [* *] T(1,0). For arrays that cannot be split between transforms.
proposal propose_local(const task& problem) {
  if (problem.on && !problem.in && problem.ranks > 1) return {{}, "a grid was asked for"};
  const distribution whole(problem.before(), grid({1}), std::vector<chain>(problem.shape.size()));
  auto schedules = transpositions(problem, whole, 1);
  return {std::move(schedules), {}};
}

}  // namespace weft::algorithm
