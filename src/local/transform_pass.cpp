#include "local/transform_pass.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <utility>

namespace weft::local {

namespace {

std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// Stores of a local array beyond this size go past the caches: by the time it is read again, it would
/// have left them anyway, and a store into a line that is not there would first read it.
constexpr integer streaming_threshold_bytes = integer{4} << 20;

/// A tile beyond this size has partly left a core's own cache when the next transform reads it.
constexpr std::size_t prefetch_threshold_bytes = std::size_t{512} << 10;

/// A stride at which rows of two cache lines spread over all sets of a cache. At strides such as 1024
/// bytes, the rows of a line would compete for a few of them.
integer spread_stride(integer bytes) {
  constexpr integer row = 128;
  const integer rows = (bytes + row - 1) / row;
  return (rows % 2 == 0 ? rows + 1 : rows) * row;
}

bool among(int axis, const std::vector<int>& axes) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); }

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
  bool stream;

  const step* waits = nullptr;  // for the bundle below
  bundle from = {}, to = {};
  run in_tile[2] = {};
  bool last = false;
  std::size_t turn = 0;  // which of the two lists of each kind is free
};

transform_pass::transform_pass(const pass_problem& problem, const engine& local)
    : source_(problem.source), sink_(problem.sink), scale_(problem.scale) {
  const bool halves = problem.source_bytes < problem.sink_bytes;
  shape_ = halves ? problem.sink.shape : problem.source.shape;
  empty_ = std::find(shape_.begin(), shape_.end(), 0) != shape_.end();
  if (empty_) return;
  plan_axes(problem);
  plan_steps(problem, local);
  large_ = volume(shape_) * static_cast<integer>(complex_bytes(problem.element)) > streaming_threshold_bytes;
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

void transform_pass::plan_steps(const pass_problem& problem, const engine& local) {
  int width = 1;
  for (const auto& t : problem.transforms) width = std::max(width, local.lanes(t.kind, t.length, problem.element));
  if (chunk_axis_ >= 0) {
    const auto x = static_cast<std::size_t>(chunk_axis_);
    chunks_ = lane_groups(problem.source.pieces[x], problem.sink.pieces[x], width);
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
      s.groups = lane_groups(i == 0 ? problem.source.pieces[u] : whole, last ? problem.sink.pieces[u] : whole, width);
    }
    for (const int l : tile_axes_) {
      if (l != s.line_axis && l != s.lane_axis) s.inner_axes.push_back(l);
    }
    s.lines =
        local.make_kernel({t.kind, t.length, problem.element, width, t.axis == fastest_, t.turn, t.conjugate_from});
    kernel_scratch_ = std::max(kernel_scratch_, aligned(s.lines->scratch_bytes()));
    steps_.push_back(std::move(s));
  }
  // The tile: the chunk's lanes run fastest, then the contiguous axis, then the others in order.
  tile_strides_.assign(shape_.size(), 0);
  if (steps_.size() < 2) return;
  auto bytes = static_cast<integer>(complex_bytes(problem.element));
  if (chunk_axis_ >= 0) {
    tile_strides_[static_cast<std::size_t>(chunk_axis_)] = bytes;
    bytes *= width;
  }
  std::vector<int> order = tile_axes_;
  std::sort(order.begin(), order.end());
  std::stable_partition(order.begin(), order.end(), [&](int l) { return l != fastest_; });
  for (auto l = order.rbegin(); l != order.rend(); ++l) {
    tile_strides_[static_cast<std::size_t>(*l)] = bytes;
    bytes = spread_stride(bytes * shape_[static_cast<std::size_t>(*l)]);
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
         large_ && source[0] != sink[0]};
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
  if (c.stream) std::atomic_thread_fence(std::memory_order_seq_cst);
}

void transform_pass::run_tile(call& c, positions& at, const lane_group& tile_lanes) const {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    run_step(c, i, at, tile_lanes);
    // The next transform reads what this one stores.
    if (steps_.size() > 1) flush(c, {});
  }
}

void transform_pass::run_step(call& c, std::size_t number, positions& at, const lane_group& tile_lanes) const {
  const step& s = steps_[number];
  each_position(s.inner_axes, shape_, at, [&] {
    if (s.lane_axis == chunk_axis_) {
      run_bundle(c, number, at, tile_lanes, true);
    } else {
      for (const auto& lanes : s.groups) run_bundle(c, number, at, lanes, false);
    }
  });
}

run transform_pass::tile_run(const call& c, const step& s, const positions& at, const lane_group& lanes,
                             bool lanes_are_tile) const {
  integer offset = 0;
  for (const int l : s.inner_axes)
    offset += at[static_cast<std::size_t>(l)] * tile_strides_[static_cast<std::size_t>(l)];
  integer lane_stride = 0;
  if (s.lane_axis >= 0) {
    lane_stride = tile_strides_[static_cast<std::size_t>(s.lane_axis)];
    // Inside a tile the chunk's lanes are numbered from 0, other axes by their positions.
    if (!lanes_are_tile) {
      offset += lanes.first * lane_stride;
      lane_stride *= lanes.step;
    }
  }
  const auto line = static_cast<std::size_t>(s.line_axis);
  return {c.tile + offset, 0, 1, shape_[line], tile_strides_[line], lane_stride};
}

void transform_pass::run_bundle(call& c, std::size_t number, const positions& at, const lane_group& lanes,
                                bool lanes_are_tile) const {
  const step& s = steps_[number];
  const bool first = number == 0, last = number + 1 == steps_.size();
  run* const source_runs = c.source_runs[c.turn];
  run* const sink_runs = c.sink_runs[c.turn];
  std::span<const run> loads, stores;
  if (first) loads = source_.runs_at(c.source, s.line_axis, s.lane_axis, lanes, at, c.waiting, source_runs);
  if (last) stores = sink_.runs_at(c.sink, s.line_axis, s.lane_axis, lanes, at, nullptr, sink_runs);
  run& tile = c.in_tile[c.turn];
  const std::span<const run> in_tile(&tile, 1);
  if (!first || !last) tile = tile_run(c, s, at, lanes, lanes_are_tile);
  if (first) {
    flush(c, loads);
  } else {
    flush(c, tile_bytes_ > prefetch_threshold_bytes ? in_tile : std::span<const run>{});
  }
  c.from = {first ? loads : in_tile, static_cast<int>(lanes.count)};
  c.to = {last ? stores : in_tile, static_cast<int>(lanes.count), {}, last && c.stream};
  c.waits = &s;
  c.last = last;
  c.turn = 1 - c.turn;
}

void transform_pass::flush(call& c, std::span<const run> next) const {
  if (c.waits == nullptr) return;
  c.from.next = next;
  std::exchange(c.waits, nullptr)->lines->transform(c.from, c.to, c.last ? scale_ : 1.0, c.kernel_scratch);
}

}  // namespace weft::local
