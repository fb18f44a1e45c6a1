#include "local/joined_axes.hpp"

#include <algorithm>

namespace weft::local {

namespace {

bool is_transformed(const pass_problem& problem, std::size_t axis) {
  return std::any_of(problem.transforms.begin(), problem.transforms.end(),
                     [&](const axis_transform& t) { return t.axis == static_cast<int>(axis); });
}

/// Progress along this axis is told, or followed, by its own positions.
bool is_marked(const pass_problem& problem, std::size_t axis) {
  const auto marks = [&](const milestones& m) { return !m.positions.empty() && m.axis == static_cast<int>(axis); };
  return marks(problem.telling) || marks(problem.following);
}

bool is_whole(const access_map& map, std::size_t axis) { return map.pieces[axis].size() == 1; }

/// Whether stepping along `outer` goes on where a walk along `inner` ends.
bool continues(const access_map& map, std::size_t outer, std::size_t inner) {
  return is_whole(map, outer) && is_whole(map, inner) &&
         std::all_of(map.placements.begin(), map.placements.end(),
                     [&](const placement& p) { return p.strides[outer] == map.shape[inner] * p.strides[inner]; });
}

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
  for (auto& t : problem.transforms) t.axis -= t.axis > static_cast<int>(axis) ? 1 : 0;
  for (auto* m : {&problem.telling, &problem.following}) m->axis -= m->axis > static_cast<int>(axis) ? 1 : 0;
}

void lengthen(access_map& map, std::size_t axis, integer times) {
  map.shape[axis] *= times;
  map.pieces[axis].front() = {0, 1, map.shape[axis]};  // a piece of one element may have any step
}

/// Joins one pair or drops one axis; false if there is none.
bool simplify(pass_problem& problem) {
  const std::size_t d = problem.sink.shape.size();
  for (std::size_t outer = 0; outer < d; ++outer) {
    if (is_transformed(problem, outer) || is_marked(problem, outer)) continue;
    const integer extent = problem.sink.shape[outer];
    if (extent == 1 && d > 1) {
      drop(problem, outer);
      return true;
    }
    for (std::size_t inner = 0; inner < d; ++inner) {
      if (inner == outer || is_transformed(problem, inner) || is_marked(problem, inner) ||
          !continues(problem.source, outer, inner) || !continues(problem.sink, outer, inner)) {
        continue;
      }
      lengthen(problem.source, inner, extent);
      lengthen(problem.sink, inner, extent);
      drop(problem, outer);
      return true;
    }
  }
  return false;
}

}  // namespace

pass_problem with_joined_axes(pass_problem problem) {
  const auto& shape = problem.sink.shape;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return problem;
  while (simplify(problem)) {
  }
  return problem;
}

}  // namespace weft::local
