// SPDX-License-Identifier: BSD-3-Clause
// Schedules that transform what is whole on the ranks, move chains of splits from axes still to be
// transformed to axes that are done, and go on: slabs, pencils and higher grids are the same search
// with other numbers.
#pragma once

#include "algorithm/algorithm.hpp"

namespace weft::algorithm {

/// Schedules from `start` to the task's output that move at most `moves` chains per exchange; first
/// redistributes from the task's input if that is another. Only those with the fewest exchanges.
[[nodiscard]] std::vector<schedule> transpositions(const task& problem, const distribution& start, int moves);

/// Block distributions of `distributed` axes over grids of that many axes, to start from: the task's
/// own input if it is of that kind, else balanced ones, best first. The real axis is left whole.
[[nodiscard]] std::vector<distribution> block_starts(const task& problem, int distributed);

/// Axes of `d` that are split over more than one rank; -1 for bricks.
[[nodiscard]] int distributed_axes(const distribution& d);

/// All ways to write `points` as an ordered product of `axes` factors.
[[nodiscard]] std::vector<std::vector<int>> factorisations(int points, int axes);

/// Elements of the largest part, from above: exact for blocks.
[[nodiscard]] double largest_part(const extents& shape, const grid& on, const std::vector<chain>& chains);

/// Starts and transpositions together, for every number of distributed axes from `low` to `high`.
[[nodiscard]] std::vector<schedule> transpose_between(const task& problem, int low, int high, int moves);

}  // namespace weft::algorithm
