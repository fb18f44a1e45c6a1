// Picks a schedule.
#pragma once

#include "algorithm/algorithm.hpp"
#include "planner/cost.hpp"

namespace weft::planner {

struct priced {
  algorithm::candidate made;
  cost price;
};

/// Everything that the named algorithm, or any, has for the task, the chosen one first, then the cheapest, and
/// why algorithms have nothing. Throws as propose() does.
struct comparison {
  std::vector<priced> candidates;
  std::vector<algorithm::refusal> refusals;
};
[[nodiscard]] comparison compare(const algorithm::task& problem, std::string_view algorithm_name, precision element,
                                 const machine& on);

/// The chosen schedule.
[[nodiscard]] algorithm::candidate choose(const algorithm::task& problem, std::string_view algorithm_name,
                                          precision element, const machine& on = {});

/// A balanced grid of `axes` axes for `ranks` ranks to split the first axes of `shape`: near-equal
/// factors, unless they leave ranks without work.
[[nodiscard]] grid balanced_grid(const extents& shape, const std::vector<chain>& chains, int axes, int ranks);

}  // namespace weft::planner
