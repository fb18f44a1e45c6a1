// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/all.hpp"
#include "algorithm/transposition.hpp"

namespace weft::algorithm {

// [b0 b1 b2] R->slab, pencil, or a chain of splits on one axis ... R->[b0 b1 b2]
proposal propose_brick(const task& problem) {
  const auto split_everywhere = [&](const std::optional<distribution>& d) {
    return d && (d->is_bricks() || distributed_axes(*d) == d->axes());
  };
  if (!split_everywhere(problem.in) && !split_everywhere(problem.out)) {
    return {{}, "neither input nor output is split along every axis"};
  }
  const auto d = static_cast<int>(problem.shape.size());
  auto schedules = transpose_between(problem, 1, std::max(1, std::min(2, d - 1)), 1);
  if (problem.in && !problem.in->is_bricks() && d > 1) {
    for (auto& s : transpositions(problem, *problem.in, 1)) schedules.push_back(std::move(s));
  }
  if (schedules.empty()) return {{}, "no slab or pencil lies between the two"};
  return {std::move(schedules), {}};
}

}  // namespace weft::algorithm
