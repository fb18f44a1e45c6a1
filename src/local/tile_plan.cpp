// SPDX-License-Identifier: BSD-3-Clause
#include "local/tile_plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/among.hpp"
#include "local/joined_axes.hpp"

namespace weft::local {

namespace {

/// A tile that is wider than a bundle so that long rows can be copied from it: at most so large, and rows at
/// least so long. The ends of a row, parts of cache lines, cost more than the rest.
constexpr integer wide_tile_bytes = integer{640} << 10;
constexpr integer least_row_bytes = 512;

/// Of a chunk that is no tile: few enough for parts of an array to be told in time.
constexpr integer most_bundles = 16;

/// So much is in few sets of a cache nowhere: axes that are shorter together lie one behind the other, so that lanes
/// run on from one to the next.
constexpr integer dense_bytes = 4096;

/// A stride at which rows of two cache lines spread over all sets of a cache. At strides such as 1024
/// bytes, the rows of a line would compete for a few of them.
integer spread_stride(integer bytes) {
  constexpr integer row = 128;
  const integer rows = (bytes + row - 1) / row;
  return (rows % 2 == 0 ? rows + 1 : rows) * row;
}

using base::among;

bool is_transformed(const pass_problem& problem, int axis) {
  return std::ranges::find(problem.transforms, axis, &axis_transform::axis) != problem.transforms.end();
}

bool is_marked(const milestones& m, int axis) { return !m.positions.empty() && m.axis == axis; }

}  // namespace

tile_plan::tile_plan(const pass_problem& problem, int most_lanes) : lanes(most_lanes), chunk_lanes(most_lanes) {
  const bool like_sink = tile_is_like_sink(problem.transforms);
  const line_row& first = row_of(problem.transforms.front().kind);
  shape = like_sink ? problem.sink.shape : problem.source.shape;
  element_bytes = static_cast<integer>(bytes_of(like_sink ? first.out : first.in, problem.element));
  large = volume(shape) > problem.cached_bytes / element_bytes;
  source = problem.source;
  sink = problem.sink;
  plan_axes(problem);
  plan_lanes(problem);
  plan_copy(problem);
  plan_chunks(problem.threads);
  plan_steps(problem);
  plan_memory();
}

/// A short axis, such as the components of a vector, would make bundles of a few lanes each. Where the next one is
/// transformed, tiles hold all of it instead: along that one, lanes are lines of yet another axis, and along others
/// lanes run on from one to the next.
bool tile_plan::carries(const pass_problem& problem, const std::vector<int>& order) const {
  if (order.size() < 3) return false;
  const int inner = order[0], outer = order[1];
  const auto extent = [&](int axis) { return shape[static_cast<std::size_t>(axis)]; };
  if (is_transformed(problem, inner) || !is_transformed(problem, outer)) return false;
  if (extent(inner) < 2 || extent(inner) >= lanes) return false;
  if (is_marked(problem.telling, inner) || is_marked(problem.following, inner)) return false;
  // What lines along the next axis have for lanes.
  if (problem.transforms.size() == 1) return extent(order[2]) > extent(inner);
  int widest = -1;
  for (const auto& t : problem.transforms) widest = t.axis == outer ? widest : std::max(widest, t.axis);
  return extent(widest) > extent(inner);
}

void tile_plan::plan_axes(const pass_problem& problem) {
  const auto d = static_cast<int>(shape.size());
  for (const auto& t : problem.transforms) tile_axes.push_back(t.axis);
  // Axes by the strides on both sides: the contiguous one first.
  std::vector<int> order(static_cast<std::size_t>(d));
  std::iota(order.rbegin(), order.rend(), 0);
  const auto reach = [&](int axis) {
    const auto l = static_cast<std::size_t>(axis);
    // No line or lane runs along a single element, whatever its stride says.
    if (shape[l] == 1) return std::numeric_limits<integer>::max();
    integer sum = 0;
    if (!problem.source.placements.empty()) sum += problem.source.placements.front().strides[l];
    if (!problem.sink.placements.empty()) sum += problem.sink.placements.front().strides[l];
    return sum;
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return reach(a) < reach(b); });
  if (carries(problem, order)) {
    carried = order.front();
    order.erase(order.begin());
  }
  fastest = order.front();
  if (!among(fastest, tile_axes)) {
    chunk_axis = fastest;
  } else if (tile_axes.size() == 1 && order.size() > 1) {
    chunk_axis = order[1];
  }
  if (carried >= 0) tile_axes.push_back(carried);
  for (int l = 0; l < d; ++l) {
    if (l != chunk_axis && !among(l, tile_axes)) outer_axes.push_back(l);
  }
  const auto& marks = problem.following.positions.empty() ? problem.telling : problem.following;
  if (!marks.positions.empty()) {
    std::stable_partition(outer_axes.begin(), outer_axes.end(), [&](int l) { return l == marks.axis; });
  }
  chunks_first = outer_axes.empty() || (!problem.following.positions.empty() && problem.following.axis == chunk_axis);
  slowest = chunks_first ? chunk_axis : outer_axes.front();
}

/// Rows of a tile have room for whole lines: what is absent at their end is stored, too, if that is simpler, and nobody
/// reads it. Returns how much of them is read.
integer tile_plan::stored_whole(tile_step& s) const {
  const integer length = shape[static_cast<std::size_t>(s.line_axis)];
  if (s.absent_out.empty() || s.absent_out.contains(0) || s.absent_out.past(length - s.absent_out.count()) != length) {
    return length;
  }
  return length - std::exchange(s.absent_out, {}).count();
}

/// Line and lanes of each step, and the maps that go with them.
void tile_plan::plan_lanes(const pass_problem& problem) {
  const auto outer = static_cast<std::size_t>(fastest), inner = static_cast<std::size_t>(carried);
  row_length = shape[outer];
  for (std::size_t i = 0; i < problem.transforms.size(); ++i) {
    const auto& transform = problem.transforms[i];
    const int line = transform.axis;
    tile_step s{line, line != fastest ? fastest : chunk_axis, {}, {}, {}, transform.absent_in, transform.absent_out};
    s.skipped.resize(shape.size());
    for (std::size_t j = 0; j < problem.transforms.size(); ++j) {
      const auto& other = problem.transforms[j];
      if (j != i) s.skipped[static_cast<std::size_t>(other.axis)] = j < i ? other.absent_out : other.absent_in;
    }
    if (line == fastest && problem.transforms.size() > 1) {
      s.lane_axis = -1;
      for (const auto& t : problem.transforms)
        s.lane_axis = t.axis == line ? s.lane_axis : std::max(s.lane_axis, t.axis);
    }
    const bool first = i == 0, last = i + 1 == problem.transforms.size();
    s.joint =
        carried >= 0 && line != fastest &&
        (!first || (continues(source, outer, inner) && std::ranges::none_of(problem.loading, asks_for_positions))) &&
        (!last || (continues(sink, outer, inner) && std::ranges::none_of(problem.storing, asks_for_positions)));
    for (const int l : tile_axes) {
      if (l != s.line_axis && l != s.lane_axis && !(s.joint && l == carried)) s.inner_axes.push_back(l);
    }
    row_length = line == fastest && !last ? stored_whole(s) : row_length;
    steps.push_back(std::move(s));
  }
  if (steps.front().joint) join(source, outer, inner);
  if (steps.back().joint) join(sink, outer, inner);
}

void tile_plan::plan_copy(const pass_problem& problem) {
  const auto x = static_cast<std::size_t>(fastest);
  // the tile has other elements
  if (problem.narrow_sink || static_cast<integer>(problem.sink_bytes) != element_bytes) return;
  if (carried >= 0 && !steps.back().joint) return;  // its rows have gaps
  for (const auto& p : sink.placements) {
    if (p.strides[x] != element_bytes) return;
    for (std::size_t l = 0; l < shape.size(); ++l) sink_offsets |= l == x || sink.shape[l] == 1 ? 0 : p.strides[l];
  }
  const auto adjacent = [](const slice& piece) { return piece.step == 1; };
  const auto &from = source.pieces[x], &to = sink.pieces[x];
  if (!std::all_of(from.begin(), from.end(), adjacent) || !std::all_of(to.begin(), to.end(), adjacent)) return;
  for (const auto& c : sink.cells) {
    sink_offsets |= c.offset;
    const int buffer = c.placement < 0 ? -1 : sink.placements[static_cast<std::size_t>(c.placement)].buffer;
    if (buffer >= 0 && !among(buffer, sink_buffers)) sink_buffers.push_back(buffer);
  }
  for (const auto& piece : to) rows.push_back(piece);
  // Kernels assemble contiguous lines themselves.
  can_copy = large && problem.transforms.back().axis != fastest;
  if (!can_copy || chunk_axis != fastest) return;
  const integer most = widest_chunk();
  const integer count = (shape[x] + most - 1) / most;
  can_copy = count == 1 || most * element_bytes >= least_row_bytes;
}

/// Lanes of a chunk, so that it is a tile of at most wide_tile_bytes.
integer tile_plan::widest_chunk() const {
  integer lane_bytes = element_bytes;
  for (const int l : tile_axes) lane_bytes *= shape[static_cast<std::size_t>(l)];
  return std::max<integer>(1, wide_tile_bytes / (lane_bytes * lanes)) * lanes;
}

/// Chunks of several bundles: so that rows to be copied are long; or since the last bundle is not full, which inside a
/// tile can take lanes of the one before once more; or since there is no tile, and to find a bundle takes as long as a
/// quarter of its transform. As wide as the tile may be, but no chunk much narrower than the others.
void tile_plan::plan_chunks(int threads) {
  if (chunk_axis < 0 || chunk_axis != fastest) return;
  const integer extent = shape[static_cast<std::size_t>(fastest)];
  const bool ragged = steps.size() > 1 && extent > lanes && extent % lanes != 0;
  const bool direct = steps.size() == 1 && !can_copy && !large && threads == 1;
  if (!can_copy && !ragged && !direct) return;
  const integer most = direct ? most_bundles * lanes : widest_chunk();
  const integer count = (extent + most - 1) / most;
  chunk_lanes = (extent + count * lanes - 1) / (count * lanes) * lanes;
}

void tile_plan::plan_steps(const pass_problem& problem) {
  if (chunk_axis >= 0) {
    const auto x = static_cast<std::size_t>(chunk_axis);
    chunks = lane_groups(source.pieces[x], sink.pieces[x], static_cast<int>(chunk_lanes));
    // Chunks follow the pieces of the maps, which need not be in order.
    if (chunks_first && !problem.following.positions.empty()) {
      const auto& parts = problem.following.positions;
      std::ranges::stable_sort(
          chunks, {}, [&](const lane_group& c) { return std::ranges::upper_bound(parts, c.first) - parts.begin(); });
    }
    tiles = static_cast<integer>(chunks.size());
  }
  for (const int l : outer_axes) tiles *= shape[static_cast<std::size_t>(l)];
  for (std::size_t i = 0; i < steps.size(); ++i) {
    tile_step& s = steps[i];
    if (s.lane_axis < 0 || s.lane_axis == chunk_axis) continue;
    const auto u = static_cast<std::size_t>(s.lane_axis);
    const integer times = s.joint ? shape[static_cast<std::size_t>(carried)] : 1;
    std::vector<slice> live;
    s.skipped[u].each_present(shape[u], [&](const slice& p) { live.push_back({p.first * times, 1, p.count * times}); });
    s.groups = lane_groups(i == 0 ? source.pieces[u] : live, i + 1 == steps.size() ? sink.pieces[u] : live, lanes);
  }
}

/// The chunk's lanes run fastest, or the carried axis does; then the contiguous axis, then the others in order.
void tile_plan::plan_memory() {
  strides.assign(shape.size(), 0);
  if (steps.size() < 2 && !can_copy) return;
  integer stride = element_bytes;
  if (chunk_axis >= 0) {
    strides[static_cast<std::size_t>(chunk_axis)] = stride;
    // Rows of a few bundles are no long way apart: a tile that stays small is worth more.
    const bool few = chunk_lanes > lanes && !can_copy;
    stride = few ? stride * chunk_lanes : spread_stride(stride * chunk_lanes);
  }
  std::vector<int> order = tile_axes;
  if (carried >= 0) {
    strides[static_cast<std::size_t>(carried)] = stride;
    stride *= shape[static_cast<std::size_t>(carried)];
    std::erase(order, carried);
  }
  std::sort(order.begin(), order.end());
  std::stable_partition(order.begin(), order.end(), [&](int l) { return l != fastest; });
  for (auto l = order.rbegin(); l != order.rend(); ++l) {
    strides[static_cast<std::size_t>(*l)] = stride;
    stride *= shape[static_cast<std::size_t>(*l)];
    const auto next = std::next(l);
    const bool dense = chunk_axis < 0 && carried < 0 && next != order.rend() &&
                       stride * shape[static_cast<std::size_t>(*next)] <= dense_bytes;
    if (!dense) stride = spread_stride(stride);
    if (*l == fastest) {
      row_lanes = stride / element_bytes;
      row_length *= carried < 0 ? 1 : shape[static_cast<std::size_t>(carried)];
    } else {
      row_axes.push_back(*l);
    }
  }
  bytes = static_cast<std::size_t>(stride);
}

integer tile_plan::tiles_before(integer position) const {
  if (slowest != chunk_axis) return tiles / shape[static_cast<std::size_t>(slowest)] * position;
  integer before = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (chunks[i].first < position) before = static_cast<integer>(i) + 1;
  }
  return tiles / static_cast<integer>(chunks.size()) * before;
}

integer tile_plan::chunk_of(integer tile) const {
  return chunks_first ? tile / (tiles / chunk_count()) : tile % chunk_count();
}

positions tile_plan::positions_of(integer tile) const {
  positions at{};
  if (chunk_axis >= 0)
    at[static_cast<std::size_t>(chunk_axis)] = chunks[static_cast<std::size_t>(chunk_of(tile))].first;
  integer rest = chunks_first ? tile % (tiles / chunk_count()) : tile / chunk_count();
  for (auto l = outer_axes.rbegin(); l != outer_axes.rend(); ++l) {
    const auto axis = static_cast<std::size_t>(*l);
    at[axis] = rest % shape[axis];
    rest /= shape[axis];
  }
  return at;
}

}  // namespace weft::local
