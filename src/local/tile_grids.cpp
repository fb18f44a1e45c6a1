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

/// The outermost first by their steps on one side; neighbours that go on where the inner one ends become one.
std::vector<line_grid::loop> loops_over(const std::vector<int>& axes, const extents& shape, const extents& source,
                                        const extents& sink, integer line_grid::loop::*step) {
  std::vector<line_grid::loop> loops, joined;
  for (const int l : axes) {
    const auto axis = static_cast<std::size_t>(l);
    if (shape[axis] > 1) loops.push_back({shape[axis], source[axis], sink[axis]});
  }
  std::ranges::stable_sort(loops, std::ranges::greater{}, step);
  for (const auto& l : loops) {
    if (!joined.empty() && joined.back().from == l.count * l.from && joined.back().to == l.count * l.to) {
      joined.back() = {joined.back().count * l.count, l.from, l.to};
    } else {
      joined.push_back(l);
    }
  }
  return joined;
}

/// Lanes run on into the innermost loop, if that is possible on both sides.
void run_on(tile_grid& grid) {
  if (grid.loops.empty()) return;
  const line_grid::loop& next = grid.loops.back();
  if (next.from != grid.lanes * grid.from.lane_stride || next.to != grid.lanes * grid.to.lane_stride) return;
  grid.lanes *= next.count;
  grid.loops.pop_back();
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
  grid.loops = loops_over(s.inner_axes, plan.shape, *source, *sink, &line_grid::loop::from);
  if (s.lane_axis == plan.chunk_axis) return grid;
  grid.lanes = plan.shape[lane];
  run_on(grid);
  return grid;
}

tile_grid copy_grid_of(const tile_plan& plan) {
  const auto sink = strides_inside(plan.sink, plan);
  if (!sink || plan.carried >= 0 || plan.chunk_axis >= 0) return {};
  const auto row = static_cast<std::size_t>(plan.fastest);
  tile_grid grid{true, {nullptr, 0, plan.strides[row]}, {nullptr, 0, (*sink)[row]}, plan.shape[row], {}};
  if (grid.from.lane_stride != plan.element_bytes || grid.to.lane_stride != plan.element_bytes) return {};
  grid.loops = loops_over(plan.row_axes, plan.shape, plan.strides, *sink, &line_grid::loop::to);
  run_on(grid);
  return grid;
}

}  // namespace weft::local
