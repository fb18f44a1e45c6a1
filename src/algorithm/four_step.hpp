// SPDX-License-Identifier: BSD-3-Clause
// Parallel inside an axis: a cyclic axis of n elements on p ranks is seen as digits, n/p of them local and
// p over the ranks, and then an ordinary transposition of digits transforms it. In the input the less
// significant digits lie over the ranks, in the output the more significant ones do: the same cyclic
// distribution of the whole axis.
//
// With blocks of B elements that are dealt cyclically, the digits are n/(pB) and pB, of which each rank has B. The
// result is dealt in blocks of n/(p pB). Digits of about the same size make both blocks long, so that whole cache lines
// are moved, and short lines, which caches hold.
#pragma once

#include <functional>

#include "algorithm/algorithm.hpp"

namespace weft::algorithm {

/// How an axis of `n` elements, dealt to `p` > 1 ranks in blocks of `block`, can be seen.
enum class axis_split : char {
  none,
  four_step,    ///< n/(p block) and p block, where p divides n/(p block): one exchange
  group_cyclic  ///< digits of n/p and a rest, where n/p divides p: an exchange for each digit but one
};
[[nodiscard]] axis_split split_of(integer n, integer p, integer block = 1);

/// Transformed axes of `core` that are split over ranks, and how each can be seen as digits.
struct distributed_axis {
  int axis = 0;
  axis_split how = axis_split::none;  ///< none for the real axis, which is otherwise
  /// Whether it can be cyclic before and zig-zag after a four-step: it is dealt one by one, and 2p divides n/p. That
  /// is asked of all split axes if the real one is among them.
  bool mirrors = false;
};
[[nodiscard]] std::vector<distributed_axis> distributed_transforms(const task& problem, const distribution& core);

/// Schedules that come to the cyclic distribution `core` where the task's input is another, see `axes` of
/// it as digits, move at most `moves` chains of splits per exchange, see whole axes again and go on to the
/// task's output where that is another. Only those with the fewest exchanges; none if the array would
/// have too many axes.
[[nodiscard]] std::vector<schedule> digit_transpositions(const task& problem, const distribution& core,
                                                         const std::vector<int>& axes, int moves);

/// Why none of this is for a task that drops modes or has boxes.
inline constexpr const char* all_modes_only = "axes that are seen as digits keep all their elements and modes";

/// All split axes by four-step, at most `moves` of them per exchange.
[[nodiscard]] proposal propose_four_step(const task& problem, int moves);

/// Cyclic distributions to work in: the task's input, if it is made of splits and `suits` likes it, or of cosine
/// transforms the one that leads to its output; else
/// those over the most ranks in which every split axis is four_step.
[[nodiscard]] std::vector<distribution> cyclic_cores(const task& problem,
                                                     const std::function<bool(const distribution&)>& suits);

}  // namespace weft::algorithm
