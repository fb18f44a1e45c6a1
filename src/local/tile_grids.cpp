// SPDX-License-Identifier: BSD-3-Clause
#include "local/tile_grids.hpp"

#include <algorithm>
#include <optional>

namespace weft::local {

namespace {

/// Byte strides by axis that hold everywhere inside a tile; none if a tile has several pieces, or may be nowhere.
std::optional<extents> strides_inside(const access_map& map, const tile_plan& plan) {
  const auto is_whole = [&](int l) {
    const auto& pieces = map.pieces[static_cast<std::size_t>(l)];
    return pieces.size() == 1 && pieces.front().step == 1;
  };
  if (map.placements.empty() || !std::ranges::all_of(plan.tile_axes, is_whole)) return std::nullopt;
  if (std::ranges::any_of(map.cells, [](const cell& c) { return c.placement < 0; })) return std::nullopt;
  const extents& strides = map.placements.front().strides;
  const auto is_alike = [&](const placement& p) { return p.strides == strides; };
  if (!std::ranges::all_of(map.placements, is_alike)) return std::nullopt;
  return strides;
}

/// Outer loops first; neighbours that go on where the inner one ends become one.
void join(std::vector<line_grid::loop>& loops) {
  std::vector<line_grid::loop> joined;
  for (const auto& l : loops) {
    if (l.count == 1) continue;
    if (!joined.empty() && joined.back().from == l.count * l.from && joined.back().to == l.count * l.to) {
      joined.back() = {joined.back().count * l.count, l.from, l.to};
    } else {
      joined.push_back(l);
    }
  }
  loops = std::move(joined);
}

}  // namespace

tile_grid grid_of(const tile_plan& plan, std::size_t number, bool from_tile, bool to_tile) {
  const tile_step& s = plan.steps[number];
  const auto is_used = [](const slice& some) { return !some.empty(); };
  if (plan.carried >= 0 || s.lane_axis < 0 || is_used(s.absent_in) || is_used(s.absent_out) ||
      std::ranges::any_of(s.skipped, is_used)) {
    return {};
  }
  const auto source = from_tile ? plan.strides : strides_inside(plan.source, plan);
  const auto sink = to_tile ? plan.strides : strides_inside(plan.sink, plan);
  if (!source || !sink) return {};
  const auto line = static_cast<std::size_t>(s.line_axis), lane = static_cast<std::size_t>(s.lane_axis);
  tile_grid grid{true, {nullptr, (*source)[line], (*source)[lane]}, {nullptr, (*sink)[line], (*sink)[lane]}, 0, {}};
  for (const int l : s.inner_axes) {
    const auto axis = static_cast<std::size_t>(l);
    grid.loops.push_back({plan.shape[axis], (*source)[axis], (*sink)[axis]});
  }
  std::ranges::stable_sort(grid.loops, std::ranges::greater{}, &line_grid::loop::from);
  join(grid.loops);
  if (s.lane_axis == plan.chunk_axis) return grid;
  grid.lanes = plan.shape[lane];
  if (!grid.loops.empty() && grid.loops.back().from == grid.lanes * grid.from.lane_stride &&
      grid.loops.back().to == grid.lanes * grid.to.lane_stride) {
    grid.lanes *= grid.loops.back().count;
    grid.loops.pop_back();
  }
  return grid;
}

}  // namespace weft::local
