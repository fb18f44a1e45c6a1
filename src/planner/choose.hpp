// SPDX-License-Identifier: BSD-3-Clause
// Searches the strategies for a task and prices them.
#pragma once

#include "algorithm/algorithm.hpp"
#include "planner/cost.hpp"
#include "planner/freedom.hpp"
#include "planner/strategy.hpp"
#include "weft/problem.hpp"

namespace weft::planner {

/// A strategy and what it should cost.
struct priced {
  strategy how;
  int ranks = 1;  ///< that take part
  int passes = 0;
  double compute_seconds = 0;
  std::vector<exchange_price> exchanges;

  [[nodiscard]] double seconds() const;
};

[[nodiscard]] inline cargo cargo_of(const problem& what, const options& how) {
  return {what.element, how.message_tolerance};
}

/// All engines, the one that should be fastest for an exchange first.
[[nodiscard]] std::vector<const exchange::engine*> engines_by_price(const distribution& from, const distribution& to,
                                                                    int ranks, std::size_t element_bytes,
                                                                    const freedom& open, const machine& on);

/// The schedules that the named algorithm, or any, has for the task, each with the engines that are cheapest for
/// it: the chosen one first, then by price. And why algorithms have nothing. Throws as propose() does.
struct comparison {
  std::vector<priced> candidates;
  std::vector<algorithm::refusal> refusals;
};
[[nodiscard]] comparison compare(const algorithm::task& problem, const freedom& open, const cargo& what,
                                 const machine& on);

/// What a strategy should cost.
[[nodiscard]] priced price_of(const strategy& how, const cargo& what, const machine& on);

/// The same schedule with every other choice that is open: engines, threads, parts. By price.
[[nodiscard]] std::vector<priced> variants(const priced& of, const freedom& open, const cargo& what, const machine& on);

/// A balanced grid of `axes` axes for `ranks` ranks to split the first axes of `shape`: near-equal
/// factors, unless they leave ranks without work.
[[nodiscard]] grid balanced_grid(const extents& shape, const std::vector<chain>& chains, int axes, int ranks);

}  // namespace weft::planner
