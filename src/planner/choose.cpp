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
  const auto cheaper = [](const priced& a, const priced& b) { return a.price.seconds() < b.price.seconds(); };
  // Prices of schedules for the same arrays that differ by less than the model can tell are ties: the one with
  // fewer exchanges scales better. What is left is decided by order, which has contiguous axes transformed
  // first, and not by rounding.
  const double tie = std::ranges::min_element(all.candidates, cheaper)->price.seconds() * (problem.in ? 1.1 : 1 + 1e-9);
  auto chosen = all.candidates.end();
  for (auto c = all.candidates.begin(); c != all.candidates.end(); ++c) {
    if (c->price.seconds() > tie) continue;
    const bool first = chosen == all.candidates.end();
    if (first || c->price.exchanges.size() < chosen->price.exchanges.size() ||
        (c->price.exchanges.size() == chosen->price.exchanges.size() &&
         c->price.seconds() < chosen->price.seconds() * (1 - 1e-9))) {
      chosen = c;
    }
  }
  std::rotate(all.candidates.begin(), chosen, chosen + 1);
  std::stable_sort(all.candidates.begin() + 1, all.candidates.end(), cheaper);
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
