// SPDX-License-Identifier: BSD-3-Clause
#include "local/joined_axes.hpp"

#include <algorithm>

namespace weft::local {

namespace {

bool is_transformed(const pass_problem& problem, std::size_t axis) {
  return std::any_of(problem.transforms.begin(), problem.transforms.end(),
                     [&](const axis_transform& t) { return t.axis == static_cast<int>(axis); });
}

/// Progress along this axis is told, or followed, by its own positions.
bool is_marked(const milestones& m, std::size_t axis) {
  return !m.positions.empty() && m.axis == static_cast<int>(axis);
}

bool is_whole(const access_map& map, std::size_t axis) { return map.pieces[axis].size() == 1; }

/// An axis of one piece can go without touching the cells.
void drop(access_map& map, std::size_t axis) {
  const auto at = static_cast<std::ptrdiff_t>(axis);
  map.shape.erase(map.shape.begin() + at);
  map.pieces.erase(map.pieces.begin() + at);
  for (auto& p : map.placements) p.strides.erase(p.strides.begin() + at);
}

void drop(pass_problem& problem, std::size_t axis) {
  drop(problem.source, axis);
  drop(problem.sink, axis);
  if (!problem.cleared.empty()) drop(problem.filled_sink, axis);
  for (auto& t : problem.transforms) t.axis -= t.axis > static_cast<int>(axis) ? 1 : 0;
  for (auto* list : {&problem.loading, &problem.storing}) {
    for (auto& o : *list) {
      if (int* const of = axis_of(o); of != nullptr) *of -= *of > static_cast<int>(axis) ? 1 : 0;
    }
  }
  for (auto* m : {&problem.telling, &problem.following}) m->axis -= m->axis > static_cast<int>(axis) ? 1 : 0;
}

/// Joins one pair or drops one axis; false if there is none.
bool simplify(pass_problem& problem) {
  const std::size_t d = problem.sink.shape.size();
  const auto bound = [&](std::size_t axis) {
    return is_transformed(problem, axis) || is_marked(problem.telling, axis);
  };
  for (std::size_t outer = 0; outer < d; ++outer) {
    if (bound(outer)) continue;
    const bool follows = is_marked(problem.following, outer);
    if (problem.sink.shape[outer] == 1 && d > 1 && !follows) {
      drop(problem, outer);
      return true;
    }
    for (std::size_t inner = 0; inner < d; ++inner) {
      if (inner == outer || bound(inner) || is_marked(problem.following, inner) ||
          !continues(problem.source, outer, inner) || !continues(problem.sink, outer, inner)) {
        continue;
      }
      for (auto& p : problem.following.positions) p *= follows ? problem.sink.shape[inner] : 1;
      join(problem.source, outer, inner);
      join(problem.sink, outer, inner);
      if (!problem.cleared.empty()) join(problem.filled_sink, outer, inner);
      drop(problem, inner);
      return true;
    }
  }
  return false;
}

}  // namespace

bool continues(const access_map& map, std::size_t outer, std::size_t inner) {
  const auto& pieces = map.pieces[outer];
  return is_whole(map, inner) &&
         std::all_of(pieces.begin(), pieces.end(), [](const slice& p) { return p.step == 1 || p.count == 1; }) &&
         std::all_of(map.placements.begin(), map.placements.end(),
                     [&](const placement& p) { return p.strides[outer] == map.shape[inner] * p.strides[inner]; });
}

void join(access_map& map, std::size_t outer, std::size_t inner) {
  const integer times = map.shape[inner];
  map.shape[outer] *= times;
  map.shape[inner] = 1;
  map.pieces[inner] = {{0, 1, 1}};
  for (auto& p : map.pieces[outer]) p = {p.first * times, 1, p.count * times};
  for (auto& p : map.placements) p.strides[outer] = p.strides[inner];
}

pass_problem with_joined_axes(pass_problem problem) {
  const auto& shape = problem.sink.shape;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return problem;
  if (std::ranges::any_of(problem.loading, asks_for_positions) ||
      std::ranges::any_of(problem.storing, asks_for_positions)) {
    return problem;
  }
  while (simplify(problem)) {
  }
  return problem;
}

}  // namespace weft::local
