// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "exchange/geometry.hpp"

namespace weft::exchange {

int rank_group::position(int rank) const {
  return static_cast<int>(std::ranges::lower_bound(members, rank) - members.begin());
}

namespace {

rank_group group_between(const distribution& from, const distribution& to, int rank, int ranks) {
  const auto idle = idle_grid_axes(from, to);
  rank_group result;
  if (idle.empty()) {
    for (int r = 0; r < ranks; ++r) result.members.push_back(r);
    return result;
  }
  const grid& on = from.on();
  // Ranks beyond the grid own nothing; they form a group of their own.
  const auto color_of = [&](int r) {
    if (r >= on.size()) return on.size();
    const auto point = on.coordinates(r);
    int color = 0;
    for (const int g : idle) color = color * on[g] + point[static_cast<std::size_t>(g)];
    return color;
  };
  result.key = on.text() + ":";
  for (const int g : idle) result.key += std::to_string(g) + ",";
  result.color = color_of(rank);
  for (int r = 0; r < ranks; ++r) {
    if (color_of(r) == result.color) result.members.push_back(r);
  }
  return result;
}

std::string on_nodes(const node_map& nodes) {
  std::string text = " on nodes";
  for (int r = 0; r < nodes.ranks(); ++r) text += nodes.first_of(r) == r ? " " + std::to_string(r) : "";
  return text;
}

}  // namespace

rank_group group_of(const exchange_problem& problem) {
  return group_between(problem.from, problem.to, problem.rank, problem.ranks);
}

std::vector<rank_group> groups_of_one(const exchange_problem& problem, const geometry& /*g*/) {
  return {group_of(problem)};
}

rank_group node_group(const exchange_problem& problem) {
  auto members = problem.nodes->members_with(problem.rank);
  const int first = members.front();
  return {"all" + on_nodes(*problem.nodes), first, std::move(members)};
}

rank_group neighbours_of(const exchange_problem& problem, const distribution& from, const distribution& to) {
  const node_map& nodes = *problem.nodes;
  rank_group result = group_between(from, to, problem.rank, problem.ranks);
  if (nodes.single()) return result;
  result.key += on_nodes(nodes);
  std::erase_if(result.members, [&](int r) { return nodes.first_of(r) != nodes.first_of(problem.rank); });
  result.color = result.members.front();  // tells groups and nodes apart
  return result;
}

}  // namespace weft::exchange
