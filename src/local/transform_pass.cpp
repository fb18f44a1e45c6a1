#include "local/transform_pass.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

#include "weft/error.hpp"

namespace weft::local {

namespace {

std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// A tile beyond this size has partly left a core's own cache when the next transform reads it.
constexpr std::size_t prefetch_threshold_bytes = std::size_t{512} << 10;

/// Ends of rows that wait for the next tile should not fill a core's own cache.
constexpr integer most_row_streams = 1024;

/// How many rows of a tile are written side by side: where a tile has pieces of rows, all of them; otherwise they
/// follow each other, and one stream joins them.
std::size_t streams_of(const tile_plan& plan) {
  if (!plan.can_copy) return 0;
  integer rows = 1;
  for (const int l : plan.tile_axes) rows *= plan.shape[static_cast<std::size_t>(l)];
  return plan.chunk_axis == plan.fastest && rows <= most_row_streams ? static_cast<std::size_t>(rows) : 1;
}

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

  const kernel* waits = nullptr;  // for the bundle below
  bundle from = {}, to = {};
  run in_tile[2] = {};
  bool scaled = false;
  std::size_t turn = 0;  // which of the two lists of each kind is free
  line_stream* out = nullptr;
  std::size_t row = 0;  // of the tile, the next to be copied
};

transform_pass::transform_pass(const pass_problem& problem, const engine& local)
    : source_(problem.source), sink_(problem.sink), scale_(problem.scale) {
  if (volume(problem.source.shape) == 0 || volume(problem.sink.shape) == 0) return;
  int lanes = 1;
  for (const auto& t : problem.transforms) lanes = std::max(lanes, local.lanes(t.kind, t.length, problem.element));
  plan_.emplace(problem, lanes);
  for (const auto& t : problem.transforms) {
    kernels_.push_back(
        local.make_kernel({t.kind, t.length, problem.element, lanes, t.lines_contiguous, t.turn, t.conjugate_from}));
    kernel_scratch_ = std::max(kernel_scratch_, aligned(kernels_.back()->scratch_bytes()));
  }
  tile_bytes_ = aligned(plan_->bytes);
  source_runs_ = aligned(sizeof(run) * source_.most_runs());
  sink_runs_ = aligned(sizeof(run) * sink_.most_runs());
  row_streams_ = streams_of(*plan_);
  thread_scratch_ =
      kernel_scratch_ + tile_bytes_ + 2 * source_runs_ + 2 * sink_runs_ + aligned(sizeof(line_stream) * row_streams_);
  threads_ = static_cast<int>(std::clamp<integer>(problem.threads, 1, plan_->tiles));
  plan_stops(problem.telling, problem.following);
}

void transform_pass::plan_stops(const milestones& telling, const milestones& following) {
  // Only milestones along the axis that the tiles run through slowest can be told.
  if (plan_->slowest >= 0 && plan_->slowest == telling.axis) {
    for (const integer position : telling.positions) {
      stops_.push_back({plan_->tiles_before(position), true, position});
    }
  }
  integer part = 0;
  for (const integer position : following.positions) {
    if (plan_->slowest != following.axis) throw internal_error("a pass that cannot follow its source");
    stops_.push_back({plan_->tiles_before(position), false, ++part});
  }
  std::ranges::stable_sort(stops_, {}, &stop::tiles);
}

void transform_pass::execute(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting,
                             departures* leaving) const {
  if (!plan_) return;
  if (waiting != nullptr) waiting->reach(0);
  arrivals* const asked = waiting;
  // Threads must not wait for messages on their own, so with several all have arrived before.
  if (threads_ > 1 && waiting != nullptr) {
    while (waiting->next() >= 0) {
    }
    waiting = nullptr;
  }
  for (int t = 0; t < threads_; ++t) std::uninitialized_default_construct_n(row_streams(scratch, t), row_streams_);
  integer done = 0;
  for (const auto& s : stops_) {
    if (s.tells ? leaving == nullptr : asked == nullptr) continue;
    run_range(source, sink, scratch, waiting, done, s.tiles);
    done = s.tiles;
    if (s.tells) {
      flush_rows(scratch);
      leaving->stored(s.milestone);
    } else {
      asked->reach(static_cast<int>(s.milestone));
    }
  }
  run_range(source, sink, scratch, waiting, done, plan_->tiles);
  flush_rows(scratch);
}

line_stream* transform_pass::row_streams(std::byte* scratch, int thread) const {
  return reinterpret_cast<line_stream*>(scratch + static_cast<std::size_t>(thread) * thread_scratch_ + kernel_scratch_ +
                                        tile_bytes_ + 2 * source_runs_ + 2 * sink_runs_);
}

void transform_pass::flush_rows(std::byte* scratch) const {
  for (int t = 0; t < threads_; ++t) {
    for (std::size_t r = 0; r < row_streams_; ++r) row_streams(scratch, t)[r].flush();
  }
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
         plan_->large && source[0] != sink[0],
         false};
  c.out = row_streams(scratch, 0);
  c.copy = c.stream && plan_->can_copy && !sink_is_aligned(sink);
  if (c.copy) c.stream = false;
  clear_row_ends(c.tile);
  // Only the first tile is found by division: a tile may be a single bundle of short lines.
  const auto chunks = plan_->chunk_axis < 0 ? integer{1} : static_cast<integer>(plan_->chunks.size());
  auto [chunk, rest] = plan_->place_of(begin);
  positions at{};
  for (auto l = plan_->outer_axes.rbegin(); l != plan_->outer_axes.rend(); ++l) {
    const auto axis = static_cast<std::size_t>(*l);
    at[axis] = rest % plan_->shape[axis];
    rest /= plan_->shape[axis];
  }
  for (integer tile = begin; tile < end; ++tile) {
    run_tile(c, at, plan_->chunk_axis < 0 ? lane_group{0, 1, 1} : plan_->chunks[static_cast<std::size_t>(chunk)]);
    if (plan_->chunks_first) {
      if (!advance(plan_->outer_axes, plan_->shape, at)) ++chunk;
    } else if (++chunk == chunks) {
      chunk = 0;
      advance(plan_->outer_axes, plan_->shape, at);
    }
  }
  flush(c, {});
  if (c.stream || c.copy) std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// What run_bundle() loads beyond the rows of a tile.
void transform_pass::clear_row_ends(std::byte* tile) const {
  if (plan_->row_lanes == 0) return;
  const auto x = static_cast<std::size_t>(plan_->fastest);
  const integer lanes =
      std::min(plan_->row_lanes - plan_->shape[x], (plan_->lanes - plan_->shape[x] % plan_->lanes) % plan_->lanes);
  if (lanes == 0) return;
  positions at{};
  each_position(plan_->row_axes, plan_->shape, at, [&] {
    std::byte* row = tile;
    for (const int l : plan_->row_axes)
      row += at[static_cast<std::size_t>(l)] * plan_->strides[static_cast<std::size_t>(l)];
    std::memset(row + plan_->shape[x] * plan_->strides[x], 0, static_cast<std::size_t>(lanes * plan_->strides[x]));
  });
}

bool transform_pass::sink_is_aligned(buffer_list sink) const {
  auto bits = static_cast<std::uintptr_t>(plan_->sink_offsets);
  for (const int b : plan_->sink_buffers) bits |= reinterpret_cast<std::uintptr_t>(sink[static_cast<std::size_t>(b)]);
  return bits % 64 == 0;
}

void transform_pass::run_tile(call& c, positions& at, const lane_group& tile_lanes) const {
  for (std::size_t i = 0; i < plan_->steps.size(); ++i) {
    run_step(c, i, at, tile_lanes);
    // The next transform reads what this one stores.
    if (plan_->steps.size() > 1 || c.copy) flush(c, {});
  }
  if (c.copy) copy_tile(c, at, tile_lanes);
}

void transform_pass::run_step(call& c, std::size_t number, positions& at, const lane_group& tile_lanes) const {
  const tile_step& s = plan_->steps[number];
  each_position(s.inner_axes, plan_->shape, at, [&] {
    if (s.lane_axis == plan_->chunk_axis) {
      for (integer lane = 0; lane < tile_lanes.count; lane += plan_->lanes) {
        run_bundle(c, number, at, tile_lanes.at({lane, 1, std::min<integer>(plan_->lanes, tile_lanes.count - lane)}),
                   lane);
      }
    } else {
      for (const auto& lanes : s.groups) run_bundle(c, number, at, lanes, lanes.first);
    }
  });
}

run transform_pass::tile_run(const call& c, const tile_step& s, const positions& at, const lane_group& lanes,
                             integer lane) const {
  integer offset = 0;
  for (const int l : s.inner_axes)
    offset += at[static_cast<std::size_t>(l)] * plan_->strides[static_cast<std::size_t>(l)];
  integer lane_stride = 0;
  if (s.lane_axis >= 0) {
    lane_stride = plan_->strides[static_cast<std::size_t>(s.lane_axis)];
    offset += lane * lane_stride;
    // Inside a tile the chunk's lanes are numbered from 0, other axes by their positions.
    if (s.lane_axis != plan_->chunk_axis) lane_stride *= lanes.step;
  }
  const auto line = static_cast<std::size_t>(s.line_axis);
  return {c.tile + offset, 0, 1, plan_->shape[line], plan_->strides[line], lane_stride};
}

void transform_pass::run_bundle(call& c, std::size_t number, const positions& at, const lane_group& lanes,
                                integer lane) const {
  const tile_step& s = plan_->steps[number];
  const bool first = number == 0, last = number + 1 == plan_->steps.size() && !c.copy;
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
  if (!first && s.lane_axis == plan_->fastest && lanes.step == 1 && lanes.first + plan_->lanes <= plan_->row_lanes) {
    c.from.lanes = plan_->lanes;
    if (!last && lanes.first + lanes.count == plan_->shape[static_cast<std::size_t>(plan_->fastest)])
      c.to.lanes = plan_->lanes;
  }
  c.waits = kernels_[number].get();
  c.scaled = number + 1 == plan_->steps.size();
  c.turn = 1 - c.turn;
}

void transform_pass::flush(call& c, std::span<const run> next) const {
  if (c.waits == nullptr) return;
  c.from.next = next;
  std::exchange(c.waits, nullptr)->transform(c.from, c.to, c.scaled ? scale_ : 1.0, c.kernel_scratch);
}

void transform_pass::copy_tile(call& c, positions& at, const lane_group& tile_lanes) const {
  c.row = 0;
  each_position(plan_->steps.back().inner_axes, plan_->shape, at, [&] {
    if (plan_->chunk_axis == plan_->fastest) {
      copy_rows(c, at, tile_lanes, 0);
    } else {
      for (const auto& row : plan_->rows) copy_rows(c, at, row, row.first);
    }
  });
}

void transform_pass::copy_rows(call& c, const positions& at, const lane_group& lanes, integer lane) const {
  const tile_step& s = plan_->steps.back();
  const run from = tile_run(c, s, at, lanes, lane);
  const auto bytes = static_cast<std::size_t>(lanes.count * from.lane_stride);
  for (const run& to : sink_.runs_at(c.sink, s.line_axis, s.lane_axis, lanes, at, nullptr, c.sink_runs[c.turn])) {
    if (to.address == nullptr) continue;
    for (integer j = 0; j < to.count; ++j) {
      c.out[c.row++ % row_streams_].write(from.address + (to.first + j * to.step) * from.stride,
                                          to.address + j * to.stride, bytes);
    }
  }
}

}  // namespace weft::local
