#include "local/transform_pass.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "base/among.hpp"
#include "local/line_stream.hpp"

namespace weft::local {

namespace {

std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// A tile that is wider than a bundle so that long rows can be copied from it: at most so large, and rows at
/// least so long. The ends of a row, parts of cache lines, cost more than the rest.
constexpr integer wide_tile_bytes = integer{640} << 10;
constexpr integer least_row_bytes = 512;

/// A tile beyond this size has partly left a core's own cache when the next transform reads it.
constexpr std::size_t prefetch_threshold_bytes = std::size_t{512} << 10;

/// A stride at which rows of two cache lines spread over all sets of a cache. At strides such as 1024
/// bytes, the rows of a line would compete for a few of them.
integer spread_stride(integer bytes) {
  constexpr integer row = 128;
  const integer rows = (bytes + row - 1) / row;
  return (rows % 2 == 0 ? rows + 1 : rows) * row;
}

using base::among;

/// Steps to the next combination of positions of `axes`, the last running fastest. False after the last,
/// when all positions are 0 again.
bool advance(const std::vector<int>& axes, const extents& shape, positions& at) {
  for (std::size_t i = axes.size(); i > 0; --i) {
    const auto l = static_cast<std::size_t>(axes[i - 1]);
    if (++at[l] < shape[l]) return true;
    at[l] = 0;
  }
  return false;
}

/// Visits every combination of positions of `axes`.
template <class Visit>
void each_position(const std::vector<int>& axes, const extents& shape, positions& at, Visit&& visit) {
  for (const int l : axes) at[static_cast<std::size_t>(l)] = 0;
  do {
    visit();
  } while (advance(axes, shape, at));
}

}  // namespace

/// A bundle waits until the next one is known, so that the kernel can fetch that meanwhile.
struct transform_pass::call {
  buffer_list source, sink;
  arrivals* waiting;
  std::byte* kernel_scratch;
  std::byte* tile;
  run* source_runs[2];
  run* sink_runs[2];
  bool stream;  // the kernels may stream
  bool copy;    // copy_tile() does

  const step* waits = nullptr;  // for the bundle below
  bundle from = {}, to = {};
  run in_tile[2] = {};
  bool scaled = false;
  std::size_t turn = 0;  // which of the two lists of each kind is free
  line_stream out = {};
};

transform_pass::transform_pass(const pass_problem& problem, const engine& local)
    : source_(problem.source), sink_(problem.sink), scale_(problem.scale) {
  const bool halves = problem.source_bytes < problem.sink_bytes;
  shape_ = halves ? problem.sink.shape : problem.source.shape;
  empty_ = std::find(shape_.begin(), shape_.end(), 0) != shape_.end();
  if (empty_) return;
  large_ = volume(shape_) * static_cast<integer>(complex_bytes(problem.element)) > problem.cached_bytes;
  for (const auto& t : problem.transforms) lanes_ = std::max(lanes_, local.lanes(t.kind, t.length, problem.element));
  chunk_lanes_ = lanes_;
  plan_axes(problem);
  plan_copy(problem);
  plan_steps(problem, local);
  source_runs_ = aligned(sizeof(run) * source_.most_runs());
  sink_runs_ = aligned(sizeof(run) * sink_.most_runs());
  thread_scratch_ = kernel_scratch_ + tile_bytes_ + 2 * source_runs_ + 2 * sink_runs_;
  tiles_ = chunk_axis_ < 0 ? 1 : static_cast<integer>(chunks_.size());
  for (const int l : outer_axes_) tiles_ *= shape_[static_cast<std::size_t>(l)];
  threads_ = static_cast<int>(std::clamp<integer>(problem.threads, 1, tiles_));
  plan_stops(problem.telling);
}

void transform_pass::plan_axes(const pass_problem& problem) {
  const auto d = static_cast<int>(shape_.size());
  for (const auto& t : problem.transforms) tile_axes_.push_back(t.axis);
  // Axes by the strides on both sides: the contiguous one first.
  std::vector<int> order(static_cast<std::size_t>(d));
  std::iota(order.rbegin(), order.rend(), 0);
  const auto reach = [&](int axis) {
    const auto l = static_cast<std::size_t>(axis);
    // No line or lane runs along a single element, whatever its stride says.
    if (shape_[l] == 1) return std::numeric_limits<integer>::max();
    integer sum = 0;
    if (!problem.source.placements.empty()) sum += problem.source.placements.front().strides[l];
    if (!problem.sink.placements.empty()) sum += problem.sink.placements.front().strides[l];
    return sum;
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return reach(a) < reach(b); });
  fastest_ = order.front();
  if (!among(fastest_, tile_axes_)) {
    chunk_axis_ = fastest_;
  } else if (tile_axes_.size() == 1 && d > 1) {
    chunk_axis_ = order[1];
  }
  for (int l = 0; l < d; ++l) {
    if (l != chunk_axis_ && !among(l, tile_axes_)) outer_axes_.push_back(l);
  }
  if (problem.telling.positions.empty()) return;
  std::stable_partition(outer_axes_.begin(), outer_axes_.end(), [&](int l) { return l == problem.telling.axis; });
}

void transform_pass::plan_copy(const pass_problem& problem) {
  const auto bytes = static_cast<integer>(complex_bytes(problem.element));
  const auto x = static_cast<std::size_t>(fastest_);
  if (problem.sink_bytes != complex_bytes(problem.element)) return;  // the tile is complex
  for (const auto& p : problem.sink.placements) {
    if (p.strides[x] != bytes) return;
    for (std::size_t l = 0; l < shape_.size(); ++l) sink_offsets_ |= l == x ? 0 : p.strides[l];
  }
  const auto adjacent = [](const slice& piece) { return piece.step == 1; };
  const auto &from = problem.source.pieces[x], &to = problem.sink.pieces[x];
  if (!std::all_of(from.begin(), from.end(), adjacent) || !std::all_of(to.begin(), to.end(), adjacent)) return;
  for (const auto& c : problem.sink.cells) {
    sink_offsets_ |= c.offset;
    const int buffer = c.placement < 0 ? -1 : problem.sink.placements[static_cast<std::size_t>(c.placement)].buffer;
    if (buffer >= 0 && !among(buffer, sink_buffers_)) sink_buffers_.push_back(buffer);
  }
  for (const auto& piece : to) rows_.push_back(piece);
  // Kernels assemble contiguous lines themselves.
  can_copy_ = large_ && problem.transforms.back().axis != fastest_;
  if (!can_copy_ || chunk_axis_ != fastest_) return;
  integer lane_bytes = bytes;  // of a tile
  for (const int l : tile_axes_) lane_bytes *= shape_[static_cast<std::size_t>(l)];
  // As wide as the tile may be, but no chunk much narrower than the others.
  const integer most = std::max<integer>(1, wide_tile_bytes / (lane_bytes * lanes_)) * lanes_;
  const integer chunks = (shape_[x] + most - 1) / most;
  can_copy_ = chunks == 1 || most * bytes >= least_row_bytes;
  if (can_copy_) chunk_lanes_ = (shape_[x] + chunks * lanes_ - 1) / (chunks * lanes_) * lanes_;
}

void transform_pass::plan_steps(const pass_problem& problem, const engine& local) {
  if (chunk_axis_ >= 0) {
    const auto x = static_cast<std::size_t>(chunk_axis_);
    chunks_ = lane_groups(problem.source.pieces[x], problem.sink.pieces[x], static_cast<int>(chunk_lanes_));
  }
  for (std::size_t i = 0; i < problem.transforms.size(); ++i) {
    const auto& t = problem.transforms[i];
    step s;
    s.line_axis = t.axis;
    s.lane_axis = t.axis != fastest_ ? fastest_ : chunk_axis_;
    if (t.axis == fastest_ && tile_axes_.size() > 1) {
      s.lane_axis = -1;
      for (const int l : tile_axes_) {
        if (l != t.axis) s.lane_axis = std::max(s.lane_axis, l);
      }
    }
    if (s.lane_axis >= 0 && s.lane_axis != chunk_axis_) {
      const auto u = static_cast<std::size_t>(s.lane_axis);
      const std::vector<slice> whole{{0, 1, shape_[u]}};
      const bool last = i + 1 == problem.transforms.size();
      s.groups = lane_groups(i == 0 ? problem.source.pieces[u] : whole, last ? problem.sink.pieces[u] : whole, lanes_);
    }
    for (const int l : tile_axes_) {
      if (l != s.line_axis && l != s.lane_axis) s.inner_axes.push_back(l);
    }
    s.lines =
        local.make_kernel({t.kind, t.length, problem.element, lanes_, t.axis == fastest_, t.turn, t.conjugate_from});
    kernel_scratch_ = std::max(kernel_scratch_, aligned(s.lines->scratch_bytes()));
    steps_.push_back(std::move(s));
  }
  // The tile: the chunk's lanes run fastest, then the contiguous axis, then the others in order.
  tile_strides_.assign(shape_.size(), 0);
  if (steps_.size() < 2 && !can_copy_) return;
  auto bytes = static_cast<integer>(complex_bytes(problem.element));
  if (chunk_axis_ >= 0) {
    tile_strides_[static_cast<std::size_t>(chunk_axis_)] = bytes;
    bytes = spread_stride(bytes * chunk_lanes_);
  }
  std::vector<int> order = tile_axes_;
  std::sort(order.begin(), order.end());
  std::stable_partition(order.begin(), order.end(), [&](int l) { return l != fastest_; });
  for (auto l = order.rbegin(); l != order.rend(); ++l) {
    tile_strides_[static_cast<std::size_t>(*l)] = bytes;
    bytes = spread_stride(bytes * shape_[static_cast<std::size_t>(*l)]);
    if (*l == fastest_) {
      tile_row_lanes_ = bytes / tile_strides_[static_cast<std::size_t>(*l)];
    } else {
      row_axes_.push_back(*l);
    }
  }
  tile_bytes_ = aligned(static_cast<std::size_t>(bytes));
}

/// Only milestones along the axis that the tiles run through slowest can be told.
void transform_pass::plan_stops(const milestones& telling) {
  const int slowest = outer_axes_.empty() ? chunk_axis_ : outer_axes_.front();
  if (slowest < 0 || slowest != telling.axis) return;
  for (const integer position : telling.positions) {
    integer tiles = 0;
    if (slowest == chunk_axis_) {
      // Chunks follow the pieces of the maps, which need not be in order.
      for (std::size_t i = 0; i < chunks_.size(); ++i) {
        if (chunks_[i].first < position) tiles = static_cast<integer>(i) + 1;
      }
    } else {
      tiles = tiles_ / shape_[static_cast<std::size_t>(slowest)] * position;
    }
    stops_.push_back({tiles, position});
  }
}

void transform_pass::execute(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting,
                             departures* leaving) const {
  if (empty_) return;
  // Threads must not wait for messages on their own, so with several all have arrived before.
  if (threads_ > 1 && waiting != nullptr) {
    while (waiting->next() >= 0) {
    }
    waiting = nullptr;
  }
  integer done = 0;
  if (leaving != nullptr) {
    for (const auto& s : stops_) {
      run_range(source, sink, scratch, waiting, done, s.tiles);
      done = s.tiles;
      leaving->stored(s.position);
    }
  }
  run_range(source, sink, scratch, waiting, done, tiles_);
}

void transform_pass::run_range(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting,
                               integer begin, integer end) const {
  const integer tiles = end - begin;
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
  for (int t = 0; t < threads_; ++t) {
    run_tiles(source, sink, scratch + static_cast<std::size_t>(t) * thread_scratch_, waiting,
              begin + tiles * t / threads_, begin + tiles * (t + 1) / threads_);
  }
}

void transform_pass::run_tiles(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting,
                               integer begin, integer end) const {
  std::byte* const runs = scratch + kernel_scratch_ + tile_bytes_;
  const auto list = [&](std::size_t offset) { return reinterpret_cast<run*>(runs + offset); };
  call c{source,
         sink,
         waiting,
         scratch,
         scratch + kernel_scratch_,
         {list(0), list(source_runs_)},
         {list(2 * source_runs_), list(2 * source_runs_ + sink_runs_)},
         // In place, the lines to be stored were just read and are in cache.
         large_ && source[0] != sink[0],
         false};
  c.copy = c.stream && can_copy_ && !sink_is_aligned(sink);
  if (c.copy) c.stream = false;
  clear_row_ends(c.tile);
  // Only the first tile is found by division: a tile may be a single bundle of short lines.
  const auto chunks = chunk_axis_ < 0 ? integer{1} : static_cast<integer>(chunks_.size());
  integer chunk = begin % chunks;
  integer rest = begin / chunks;
  positions at{};
  for (auto l = outer_axes_.rbegin(); l != outer_axes_.rend(); ++l) {
    const auto axis = static_cast<std::size_t>(*l);
    at[axis] = rest % shape_[axis];
    rest /= shape_[axis];
  }
  for (integer tile = begin; tile < end; ++tile) {
    run_tile(c, at, chunk_axis_ < 0 ? lane_group{0, 1, 1} : chunks_[static_cast<std::size_t>(chunk)]);
    if (++chunk < chunks) continue;
    chunk = 0;
    advance(outer_axes_, shape_, at);
  }
  flush(c, {});
  c.out.flush();
  if (c.stream || c.copy) std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// What run_bundle() loads beyond the rows of a tile.
void transform_pass::clear_row_ends(std::byte* tile) const {
  if (tile_row_lanes_ == 0) return;
  const auto x = static_cast<std::size_t>(fastest_);
  const integer lanes = std::min(tile_row_lanes_ - shape_[x], (lanes_ - shape_[x] % lanes_) % lanes_);
  if (lanes == 0) return;
  positions at{};
  each_position(row_axes_, shape_, at, [&] {
    std::byte* row = tile;
    for (const int l : row_axes_) row += at[static_cast<std::size_t>(l)] * tile_strides_[static_cast<std::size_t>(l)];
    std::memset(row + shape_[x] * tile_strides_[x], 0, static_cast<std::size_t>(lanes * tile_strides_[x]));
  });
}

bool transform_pass::sink_is_aligned(buffer_list sink) const {
  auto bits = static_cast<std::uintptr_t>(sink_offsets_);
  for (const int b : sink_buffers_) bits |= reinterpret_cast<std::uintptr_t>(sink[static_cast<std::size_t>(b)]);
  return bits % 64 == 0;
}

void transform_pass::run_tile(call& c, positions& at, const lane_group& tile_lanes) const {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    run_step(c, i, at, tile_lanes);
    // The next transform reads what this one stores.
    if (steps_.size() > 1 || c.copy) flush(c, {});
  }
  if (c.copy) copy_tile(c, at, tile_lanes);
}

void transform_pass::run_step(call& c, std::size_t number, positions& at, const lane_group& tile_lanes) const {
  const step& s = steps_[number];
  each_position(s.inner_axes, shape_, at, [&] {
    if (s.lane_axis == chunk_axis_) {
      for (integer lane = 0; lane < tile_lanes.count; lane += lanes_) {
        run_bundle(c, number, at, tile_lanes.at({lane, 1, std::min<integer>(lanes_, tile_lanes.count - lane)}), lane);
      }
    } else {
      for (const auto& lanes : s.groups) run_bundle(c, number, at, lanes, lanes.first);
    }
  });
}

run transform_pass::tile_run(const call& c, const step& s, const positions& at, const lane_group& lanes,
                             integer lane) const {
  integer offset = 0;
  for (const int l : s.inner_axes)
    offset += at[static_cast<std::size_t>(l)] * tile_strides_[static_cast<std::size_t>(l)];
  integer lane_stride = 0;
  if (s.lane_axis >= 0) {
    lane_stride = tile_strides_[static_cast<std::size_t>(s.lane_axis)];
    offset += lane * lane_stride;
    // Inside a tile the chunk's lanes are numbered from 0, other axes by their positions.
    if (s.lane_axis != chunk_axis_) lane_stride *= lanes.step;
  }
  const auto line = static_cast<std::size_t>(s.line_axis);
  return {c.tile + offset, 0, 1, shape_[line], tile_strides_[line], lane_stride};
}

void transform_pass::run_bundle(call& c, std::size_t number, const positions& at, const lane_group& lanes,
                                integer lane) const {
  const step& s = steps_[number];
  const bool first = number == 0, last = number + 1 == steps_.size() && !c.copy;
  run* const source_runs = c.source_runs[c.turn];
  run* const sink_runs = c.sink_runs[c.turn];
  std::span<const run> loads, stores;
  if (first) loads = source_.runs_at(c.source, s.line_axis, s.lane_axis, lanes, at, c.waiting, source_runs);
  if (last) stores = sink_.runs_at(c.sink, s.line_axis, s.lane_axis, lanes, at, nullptr, sink_runs);
  run& tile = c.in_tile[c.turn];
  const std::span<const run> in_tile(&tile, 1);
  if (!first || !last) tile = tile_run(c, s, at, lanes, lane);
  if (first) {
    flush(c, loads);
  } else {
    flush(c, tile_bytes_ > prefetch_threshold_bytes ? in_tile : std::span<const run>{});
  }
  c.from = {first ? loads : in_tile, static_cast<int>(lanes.count)};
  c.to = {last ? stores : in_tile, static_cast<int>(lanes.count), {}, last && c.stream};
  // Kernels like full bundles. Along a row of the tile more lanes can be loaded than there are, and stored
  // where the row ends: zeros stay zeros.
  if (!first && s.lane_axis == fastest_ && lanes.step == 1 && lanes.first + lanes_ <= tile_row_lanes_) {
    c.from.lanes = lanes_;
    if (!last && lanes.first + lanes.count == shape_[static_cast<std::size_t>(fastest_)]) c.to.lanes = lanes_;
  }
  c.waits = &s;
  c.scaled = number + 1 == steps_.size();
  c.turn = 1 - c.turn;
}

void transform_pass::flush(call& c, std::span<const run> next) const {
  if (c.waits == nullptr) return;
  c.from.next = next;
  std::exchange(c.waits, nullptr)->lines->transform(c.from, c.to, c.scaled ? scale_ : 1.0, c.kernel_scratch);
}

void transform_pass::copy_tile(call& c, positions& at, const lane_group& tile_lanes) const {
  each_position(steps_.back().inner_axes, shape_, at, [&] {
    if (chunk_axis_ == fastest_) {
      copy_rows(c, at, tile_lanes, 0);
    } else {
      for (const auto& row : rows_) copy_rows(c, at, row, row.first);
    }
  });
}

void transform_pass::copy_rows(call& c, const positions& at, const lane_group& lanes, integer lane) const {
  const step& s = steps_.back();
  const run from = tile_run(c, s, at, lanes, lane);
  const auto bytes = static_cast<std::size_t>(lanes.count * from.lane_stride);
  for (const run& to : sink_.runs_at(c.sink, s.line_axis, s.lane_axis, lanes, at, nullptr, c.sink_runs[c.turn])) {
    if (to.address == nullptr) continue;
    for (integer j = 0; j < to.count; ++j) {
      c.out.write(from.address + (to.first + j * to.step) * from.stride, to.address + j * to.stride, bytes);
    }
  }
}

}  // namespace weft::local
