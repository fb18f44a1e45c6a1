#include "planner/choose.hpp"

#include <algorithm>

#include "algorithm/transposition.hpp"

namespace weft::planner {

comparison compare(const algorithm::task& problem, std::string_view algorithm_name, precision element,
                   const machine& on) {
  comparison all;
  for (auto& c : algorithm::propose(problem, algorithm_name, &all.refusals)) {
    cost price = cost_of(c.made, problem.ranks, element, on);
    all.candidates.push_back({std::move(c), std::move(price)});
  }
  // Stable: of equals the algorithm that stands first in the table.
  std::stable_sort(all.candidates.begin(), all.candidates.end(),
                   [](const priced& a, const priced& b) { return a.price.seconds() < b.price.seconds(); });
  return all;
}

algorithm::candidate choose(const algorithm::task& problem, std::string_view algorithm_name, precision element,
                            const machine& on) {
  return std::move(compare(problem, algorithm_name, element, on).candidates.front().made);
}

grid balanced_grid(const extents& shape, const std::vector<chain>& chains, int axes, int ranks) {
  const auto all = algorithm::factorisations(ranks, axes);
  std::vector<double> sizes;
  for (const auto& g : all) sizes.push_back(algorithm::largest_part(shape, grid(g), chains));
  // Up to a fifth more work on the fullest rank is a fair price for an even grid.
  const double allowed = 1.2 * *std::min_element(sizes.begin(), sizes.end());
  std::size_t best = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (sizes[i] > allowed) continue;
    const auto widest = [&](std::size_t j) { return *std::max_element(all[j].begin(), all[j].end()); };
    if (best == all.size() || widest(i) < widest(best) || (widest(i) == widest(best) && sizes[i] < sizes[best]))
      best = i;
  }
  return grid(all[best]);
}

}  // namespace weft::planner
