// SPDX-License-Identifier: BSD-3-Clause
// Block distributions that a search for transpositions may start from.
#include <algorithm>
#include <numeric>
#include <utility>

#include "algorithm/transposition.hpp"
#include "base/among.hpp"

namespace weft::algorithm {

namespace {

using base::among;

/// How many are worth pricing.
constexpr std::size_t most_starts = 6;

/// All ascending choices of `count` of the axes 0 .. d-1.
std::vector<std::vector<int>> choices(int d, int count) {
  std::vector<std::vector<int>> all;
  std::vector<int> chosen;
  const auto extend = [&](auto&& self, int next) -> void {
    if (static_cast<int>(chosen.size()) == count) {
      all.push_back(chosen);
      return;
    }
    for (int l = next; l < d; ++l) {
      chosen.push_back(l);
      self(self, l + 1);
      chosen.pop_back();
    }
  };
  extend(extend, 0);
  return all;
}

/// Elements of the fullest rank when each axis is cut into so many parts.
double largest_part(const extents& shape, const extents& parts) {
  double size = 1;
  for (std::size_t l = 0; l < shape.size(); ++l) {
    const integer largest = (shape[l] + parts[l] - 1) / parts[l];
    size *= static_cast<double>(largest);
  }
  return size;
}

}  // namespace

double largest_part(const extents& shape, const grid& on, const std::vector<chain>& chains) {
  extents parts(shape.size(), 1);
  for (std::size_t l = 0; l < shape.size(); ++l) {
    for (const auto& s : chains[l]) parts[l] *= on[s.grid_axis];
  }
  return largest_part(shape, parts);
}

std::vector<std::vector<int>> factorisations(int points, int axes) {
  if (axes == 1) return {{points}};
  std::vector<std::vector<int>> all;
  for (int f = 1; f <= points; ++f) {
    if (points % f != 0) continue;
    for (auto rest : factorisations(points / f, axes - 1)) {
      rest.insert(rest.begin(), f);
      all.push_back(std::move(rest));
    }
  }
  return all;
}

std::vector<distribution> block_starts(const task& problem, int distributed) {
  if (problem.in && distributed_axes(*problem.in) == distributed) return {*problem.in};
  const auto d = static_cast<int>(problem.shape.size());
  std::vector<std::vector<int>> grids{};
  if (problem.on && !problem.in) {
    if (problem.on->axes() == distributed) grids.push_back(problem.on->shape());
  } else {
    grids = factorisations(problem.ranks, distributed);
  }
  struct scored {
    double size;
    int spread;  // distance of the axes from the slowest ones
    std::vector<int> axes, points;
  };
  const auto sooner = [](const scored& a, const scored& b) {
    return a.size != b.size ? a.size < b.size : a.spread < b.spread;
  };
  // With many axes there are far more than are worth making: only the best are kept on the way.
  std::vector<scored> best;
  const extents shape = problem.before();
  extents parts(shape.size(), 1);
  for (const auto& axes : choices(d, distributed)) {
    if (among(problem.real_axis(), axes) || among(problem.batch_axis, axes)) continue;
    const int spread = std::accumulate(axes.begin(), axes.end(), 0);
    for (const auto& points : grids) {
      for (std::size_t i = 0; i < axes.size(); ++i) parts[static_cast<std::size_t>(axes[i])] = points[i];
      const double size = largest_part(shape, parts);
      if (best.size() < most_starts || size < best.back().size ||
          (size == best.back().size && spread < best.back().spread)) {
        scored one{size, spread, axes, points};
        best.insert(std::ranges::upper_bound(best, one, sooner), std::move(one));
        if (best.size() > most_starts) best.pop_back();
      }
    }
    for (const int l : axes) parts[static_cast<std::size_t>(l)] = 1;
  }
  std::vector<distribution> starts;
  for (const auto& s : best) {
    std::vector<chain> chains(static_cast<std::size_t>(d));
    for (std::size_t i = 0; i < s.axes.size(); ++i) {
      chains[static_cast<std::size_t>(s.axes[i])] = {{split::kind::block, static_cast<int>(i), 1}};
    }
    starts.emplace_back(shape, grid(s.points), std::move(chains));
  }
  return starts;
}

}  // namespace weft::algorithm
