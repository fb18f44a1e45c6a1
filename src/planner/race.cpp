// SPDX-License-Identifier: BSD-3-Clause
#include "planner/race.hpp"

#include <algorithm>
#include <limits>

namespace weft::planner {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
// Those within this factor of the best run in the finals, but no more than so many, and so many times: where memory
// happens to lie can cost the better one that much.
constexpr double near = 1.5;
constexpr std::size_t most_finalists = 5;
constexpr int finals = 5;

std::vector<std::size_t> finalists_of(const std::vector<double>& seconds, double best) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    if (seconds[i] >= 0 && seconds[i] <= near * best) chosen.push_back(i);
  }
  std::ranges::stable_sort(chosen, {}, [&](std::size_t i) { return seconds[i]; });
  if (chosen.size() > most_finalists) chosen.resize(most_finalists);
  return chosen;
}

race_result decided(race_result found, double best) {
  const auto first = std::ranges::find(found.seconds, best);
  found.winner = best < never ? static_cast<std::size_t>(first - found.seconds.begin()) : found.seconds.size();
  return found;
}

}  // namespace

race_result race(std::size_t contenders, const std::function<double(std::size_t, double)>& attempt,
                 const std::function<bool()>& go_on) {
  race_result found;
  found.seconds.assign(contenders, -1);
  double best = never;
  for (std::size_t i = 0; i < contenders && found.complete; ++i) {
    found.seconds[i] = attempt(i, best);
    best = std::min(best, found.seconds[i]);
    found.complete = go_on() || i + 1 == contenders;
  }
  const auto finalists = best < never ? finalists_of(found.seconds, best) : std::vector<std::size_t>{};
  for (int k = 0; k < finals && finalists.size() > 1; ++k) {
    for (const std::size_t i : finalists) {
      if (!go_on()) return decided(std::move(found), best);
      found.seconds[i] = std::min(found.seconds[i], attempt(i, best));
      best = std::min(best, found.seconds[i]);
    }
  }
  return decided(std::move(found), best);
}

}  // namespace weft::planner
