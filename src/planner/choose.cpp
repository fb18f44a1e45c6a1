#include "planner/choose.hpp"

#include <algorithm>
#include <limits>

#include "algorithm/transposition.hpp"

namespace weft::planner {

algorithm::candidate choose(const algorithm::task& problem, std::string_view algorithm_name, precision element,
                            const machine& on) {
  auto candidates = algorithm::propose(problem, algorithm_name);
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const double seconds = price(candidates[i].made, problem.ranks, element, on);
    // Ties are decided by order, which has the contiguous axes transformed first, and not by rounding.
    if (seconds < least * (1 - 1e-9)) {
      least = seconds;
      best = i;
    }
  }
  return std::move(candidates[best]);
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
