// SPDX-License-Identifier: BSD-3-Clause
#include "local/tile_grids.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace weft::local {

namespace {

/// More pieces are too short to be worth it.
constexpr std::size_t most_copies = 64;

bool is_absent(const cell& c) { return c.placement < 0; }

/// Byte strides by axis of all pieces; none if they differ.
std::optional<extents> common_strides(const access_map& map) {
  if (map.placements.empty()) return std::nullopt;
  const extents& strides = map.placements.front().strides;
  const auto is_alike = [&](const placement& p) { return p.strides == strides; };
  return std::ranges::all_of(map.placements, is_alike) ? std::optional(strides) : std::nullopt;
}

/// Byte strides by axis that hold everywhere inside a tile; none if a tile has several pieces, or may be nowhere.
std::optional<extents> strides_inside(const access_map& map, const tile_plan& plan) {
  const auto is_whole = [&](int l) {
    const auto& pieces = map.pieces[static_cast<std::size_t>(l)];
    return pieces.size() == 1 && pieces.front().step == 1;
  };
  if (std::ranges::any_of(map.cells, is_absent) || !std::ranges::all_of(plan.tile_axes, is_whole)) return std::nullopt;
  return common_strides(map);
}

/// Positions that a map has nothing for, whatever the positions along other axes, by the numbers of their pieces.
std::vector<bool> absent_pieces(const access_map& map, std::size_t axis) {
  std::size_t inner = 1;
  for (std::size_t l = axis + 1; l < map.pieces.size(); ++l) inner *= map.pieces[l].size();
  std::vector<bool> absent(map.pieces[axis].size(), true);
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    if (!is_absent(map.cells[i])) absent[i / inner % absent.size()] = false;
  }
  return absent;
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
  const auto is_used = [](const absent_positions& some) { return !some.empty(); };
  const bool gathered = plan.carried >= 0 && s.line_axis == plan.fastest;
  if ((plan.carried >= 0 && !gathered && !s.joint) || s.lane_axis < 0 || is_used(s.absent_in) ||
      is_used(s.absent_out) || std::ranges::any_of(s.skipped, is_used)) {
    return {};
  }
  const auto source = from_tile ? plan.strides : strides_inside(plan.source, plan);
  const auto sink = to_tile ? plan.strides : strides_inside(plan.sink, plan);
  if (!source || !sink) return {};
  const auto line = static_cast<std::size_t>(s.line_axis), lane = static_cast<std::size_t>(s.lane_axis);
  const auto side = [&](const extents& strides, bool in_tile) {
    const auto l = in_tile && s.joint ? static_cast<std::size_t>(plan.carried) : lane;  // maps are joined already
    return line_grid::side{nullptr, strides[line], strides[l]};
  };
  tile_grid grid{true, side(*source, from_tile), side(*sink, to_tile), 0, {}};
  auto loop_axes = s.inner_axes;
  if (gathered) std::erase(loop_axes, plan.carried);
  grid.gathered = gathered;
  grid.loops = loops_over(loop_axes, plan.shape, *source, *sink, &line_grid::loop::from);
  if (s.lane_axis == plan.chunk_axis) return grid;
  grid.lanes = plan.shape[lane] * (s.joint ? plan.shape[static_cast<std::size_t>(plan.carried)] : 1);
  grid.along_rows = from_tile && to_tile && s.lane_axis == plan.fastest && s.joint == (plan.carried >= 0);
  run_on(grid);
  return grid;
}

std::vector<tile_copy> copies_of(const tile_plan& plan, const access_map& to) {
  const auto sink = common_strides(to);
  const auto row = static_cast<std::size_t>(plan.fastest);
  if (!sink || plan.carried >= 0 || plan.chunk_axis >= 0) return {};
  if (plan.strides[row] != plan.element_bytes || (*sink)[row] != plan.element_bytes) return {};
  std::vector<tile_copy> all(1);
  std::vector<extents> shapes{plan.shape};
  std::size_t present = 1;  // cells, if none is absent but those of such pieces along the tile's axes
  for (std::size_t l = 0; l < plan.shape.size(); ++l) {
    const auto absent = absent_pieces(to, l);
    const bool inside = std::ranges::find(plan.tile_axes, static_cast<int>(l)) != plan.tile_axes.end();
    present *= inside ? static_cast<std::size_t>(std::ranges::count(absent, false)) : absent.size();
  }
  if (present + static_cast<std::size_t>(std::ranges::count_if(to.cells, is_absent)) != to.cells.size()) {
    return {};
  }
  for (const int l : plan.tile_axes) {
    const auto axis = static_cast<std::size_t>(l);
    const auto& pieces = to.pieces[axis];
    const auto absent = absent_pieces(to, axis);
    if (std::ranges::any_of(pieces, [](const slice& p) { return p.step != 1; })) return {};
    if (all.size() * pieces.size() > most_copies) return {};
    const auto whole = std::exchange(all, {});
    const auto whole_shapes = std::exchange(shapes, {});
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (std::size_t p = 0; p < pieces.size(); ++p) {
        if (absent[p]) continue;
        tile_copy& part = all.emplace_back(whole[i]);
        part.first[axis] = pieces[p].first;
        part.offset += pieces[p].first * plan.strides[axis];
        if (l == plan.steps.back().line_axis) part.line_piece = p;
        shapes.push_back(whole_shapes[i]);
        shapes.back()[axis] = pieces[p].count;
      }
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].grid = {true, {nullptr, 0, plan.element_bytes}, {nullptr, 0, plan.element_bytes}, shapes[i][row], {}};
    all[i].grid.loops = loops_over(plan.row_axes, shapes[i], plan.strides, *sink, &line_grid::loop::to);
    run_on(all[i].grid);
  }
  return all;
}

tile_gap row_ends_of(const tile_plan& plan) {
  if (plan.row_lanes == 0) return {};
  const integer length = plan.row_length;
  const integer lanes = std::min(plan.row_lanes - length, (plan.lanes - length % plan.lanes) % plan.lanes);
  return {length * plan.element_bytes,
          loops_over(plan.row_axes, plan.shape, plan.strides, plan.strides, &line_grid::loop::to),
          static_cast<std::size_t>(lanes * plan.element_bytes)};
}

std::vector<tile_gap> gaps_of(const tile_plan& plan, const std::vector<axis_transform>& transforms) {
  std::vector<tile_gap> gaps;
  for (const auto& t : transforms) {
    if (!t.clears) continue;
    auto others = plan.row_axes;
    std::erase(others, t.axis);
    const integer elements = t.axis == plan.fastest ? 1 : plan.shape[static_cast<std::size_t>(plan.fastest)];
    gaps.push_back({t.absent_out.first() * plan.strides[static_cast<std::size_t>(t.axis)],
                    loops_over(others, plan.shape, plan.strides, plan.strides, &line_grid::loop::to),
                    static_cast<std::size_t>(elements * plan.element_bytes)});
  }
  return gaps;
}

}  // namespace weft::local
