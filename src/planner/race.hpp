// SPDX-License-Identifier: BSD-3-Clause
// Finds the fastest of many by timing them, the least promising ones briefly.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace weft::planner {

struct race_result {
  std::vector<double> seconds;  ///< least time of each; infinite: could not run; negative: was not tried
  std::size_t winner = 0;       ///< seconds.size() if none could run
  bool complete = true;         ///< all were tried
};

/// `attempt(i, best)` times contender i and may give up when it is clearly slower than `best`. The first ones should be
/// the most promising: of ties the first wins. Those near the best run again, in turn, so that a passing disturbance
/// decides nothing. Stops when `go_on()` is false; if called on several ranks, both must answer alike on all.
[[nodiscard]] race_result race(std::size_t contenders,
                               const std::function<double(std::size_t contender, double best)>& attempt,
                               const std::function<bool()>& go_on);

}  // namespace weft::planner
