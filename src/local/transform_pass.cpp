// SPDX-License-Identifier: BSD-3-Clause
#include "local/transform_pass.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "local/clear.hpp"
#include "local/threads.hpp"
#include "local/transform_pass_call.hpp"

namespace weft::local {

namespace {

/// A tile beyond this size has partly left a core's own cache when the next transform reads it.
constexpr std::size_t prefetch_threshold_bytes = std::size_t{512} << 10;

/// How often a pass lets something else be done meanwhile, if it has so many tiles.
constexpr integer pauses = 32;

/// Steps to the next combination of positions of `axes`, the last running fastest. False after the last,
/// when all are the first again.
bool advance(const std::vector<int>& axes, const extents& shape, const std::vector<absent_positions>* skipped,
             positions& at) {
  for (std::size_t i = axes.size(); i > 0; --i) {
    const auto l = static_cast<std::size_t>(axes[i - 1]);
    ++at[l];
    if (skipped != nullptr) at[l] = (*skipped)[l].past(at[l]);
    if (at[l] < shape[l]) return true;
    at[l] = skipped == nullptr ? 0 : (*skipped)[l].past(0);
  }
  return false;
}

/// Visits every combination of positions of `axes`, but for those that are skipped. All are 0 in the end.
template <class Visit>
void each_position(const std::vector<int>& axes, const extents& shape, const std::vector<absent_positions>* skipped,
                   positions& at, Visit&& visit) {
  for (const int l : axes) {
    const auto axis = static_cast<std::size_t>(l);
    at[axis] = skipped == nullptr ? 0 : (*skipped)[axis].past(0);
  }
  do {
    visit();
  } while (advance(axes, shape, skipped, at));
  for (const int l : axes) at[static_cast<std::size_t>(l)] = 0;
}

}  // namespace

void transform_pass::execute(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting,
                             departures* leaving) const {
  if (!plan_) return;
  if (gaps_.empty() || !copies_tiles(source, sink)) {
    for (const auto& map : cleared_) clear(map, sink, sink_bytes_);
  }
  if (waiting != nullptr) waiting->reach(0);
  if (!one_tile_.empty()) return run_one_tile(source, sink, scratch);
  arrivals* const asked_by_threads = threads_ > 1 ? nullptr : waiting;
  for (int t = 0; t < threads_; ++t) std::uninitialized_default_construct_n(row_streams(scratch, t), row_streams_);
  integer done = 0;
  for (const auto& s : stops_) {
    if (s.what == stop::kind::tell ? leaving == nullptr : waiting == nullptr) continue;
    run_range(source, sink, scratch, asked_by_threads, leaving, done, s.tiles);
    done = s.tiles;
    switch (s.what) {
      case stop::kind::tell:
        flush_rows(scratch);
        leaving->stored(s.number);
        break;
      case stop::kind::reach: waiting->reach(static_cast<int>(s.number)); break;
      case stop::kind::need: waiting->need(static_cast<int>(s.number)); break;
    }
  }
  run_range(source, sink, scratch, asked_by_threads, leaving, done, plan_->tiles);
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
                               departures* leaving, integer begin, integer end) const {
  const integer tiles = end - begin;
  if (tiles == 0) return;
  on_threads(threads_, [&](int t) {
    run_tiles(source, sink, scratch + static_cast<std::size_t>(t) * thread_scratch_, waiting,
              t == 0 ? leaving : nullptr, begin + tiles * t / threads_, begin + tiles * (t + 1) / threads_);
  });
}

void transform_pass::run_tiles(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting,
                               departures* leaving, integer begin, integer end) const {
  if (begin == end) return;
  std::byte* const runs = scratch + kernel_scratch_ + tile_bytes_;
  const auto list = [&](std::size_t offset) { return reinterpret_cast<run*>(runs + offset); };
  call c{source,
         sink,
         waiting,
         scratch,
         scratch + kernel_scratch_,
         scratch + thread_scratch_ - staging_,
         {list(0), list(source_runs_)},
         {list(2 * source_runs_), list(2 * source_runs_ + sink_runs_)},
         {list(tile_runs_), list(tile_runs_) + most_tile_runs},
         {list(tile_runs_) + 2 * most_tile_runs, list(tile_runs_) + 3 * most_tile_runs},
         streams(source, sink),
         copies_tiles(source, sink)};
  c.out = row_streams(scratch, 0);
  if (c.copy) c.stream = false;
  if (reads_row_ends_) clear_gap(row_ends_, c.tile);
  // Only the first tile is found by division: a tile may be a single bundle of short lines.
  const auto chunks = plan_->chunk_axis < 0 ? integer{1} : static_cast<integer>(plan_->chunks.size());
  integer chunk = plan_->chunk_of(begin);
  positions at = plan_->positions_of(begin);
  const integer until_pause = std::max<integer>(1, plan_->tiles / (pauses * threads_));
  integer next_pause = leaving == nullptr ? end : begin + until_pause;
  for (integer tile = begin; tile < end; ++tile) {
    if (tile == next_pause) {
      leaving->pause();
      next_pause += until_pause;
    }
    run_tile(c, at, plan_->chunk_axis < 0 ? lane_group{0, 1, 1} : plan_->chunks[static_cast<std::size_t>(chunk)]);
    if (plan_->chunks_first) {
      if (!advance(plan_->outer_axes, plan_->shape, nullptr, at)) ++chunk;
    } else if (++chunk == chunks) {
      chunk = 0;
      advance(plan_->outer_axes, plan_->shape, nullptr, at);
    }
  }
  flush(c, {});
  if (c.stream || c.copy) std::atomic_thread_fence(std::memory_order_seq_cst);
}

void transform_pass::run_one_tile(buffer_list source, buffer_list sink, std::byte* scratch) const {
  std::byte* const tile = scratch + kernel_scratch_;
  if (reads_row_ends_) clear_gap(row_ends_, tile);
  for (std::size_t i = 0; i < one_tile_.size(); ++i) {
    line_grid lines = one_tile_[i];
    lines.from.address = i == 0 ? source[source_buffer_] + source_offset_ : tile;
    lines.to.address = i + 1 == one_tile_.size() ? sink[sink_buffer_] + sink_offset_ : tile;
    kernels_[i]->transform(lines, scratch);
  }
}

void transform_pass::clear_gap(const tile_gap& gap, std::byte* tile) {
  if (gap.bytes == 0) return;
  for_each_place(gap.loops, tile + gap.offset, tile + gap.offset,
                 [&](const std::byte*, std::byte* to) { std::memset(to, 0, gap.bytes); });
}

bool transform_pass::streams(buffer_list source, buffer_list sink) const {
  // In place, the lines to be stored were just read and are in cache, unless they thrust each other out of it.
  return plan_->large && (source[0] != sink[0] || (streams_in_place_ && sink_is_aligned(sink)));
}

bool transform_pass::copies_tiles(buffer_list source, buffer_list sink) const {
  return source[0] != sink[0] && streams(source, sink) && plan_->can_copy && (copies_grid_ || !sink_is_aligned(sink));
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
  if (run_grid(c, number, at, tile_lanes)) return;
  const tile_step& s = plan_->steps[number];
  const integer full = plan_->lanes, last_full = tile_lanes.count - full;
  const bool again = last_full > 0 && may_repeat_lanes(c, number);
  each_position(s.inner_axes, plan_->shape, &s.skipped, at, [&] {
    if (s.lane_axis == plan_->chunk_axis) {
      for (integer next = 0; next < tile_lanes.count; next += full) {
        const integer lane = again ? std::min(next, last_full) : next;
        run_bundle(c, number, at, tile_lanes.at({lane, 1, std::min(full, tile_lanes.count - lane)}), lane);
      }
    } else {
      for (const auto& lanes : s.groups) run_bundle(c, number, at, lanes, lanes.first);
    }
  });
}

/// Whether a step may transform lines twice, so that bundles are full: from the array to the tile, or from the tile to
/// the array. Otherwise it might find its own results, and functions of users are called once for each element.
bool transform_pass::may_repeat_lanes(const call& c, std::size_t number) const {
  const bool loads = number == 0, stores = number + 1 == plan_->steps.size();
  if ((loads && loading_.is_staged()) || (stores && storing_.is_staged())) return false;
  return loads != (stores && !c.copy);
}

bool transform_pass::run_grid(call& c, std::size_t number, const positions& at, const lane_group& tile_lanes) const {
  const bool first = number == 0, last = number + 1 == plan_->steps.size() && !c.copy;
  const tile_grid& grid = c.copy && number + 1 == plan_->steps.size() ? last_in_tile_ : grids_[number];
  if (!grid.possible) return false;
  const tile_step& s = plan_->steps[number];
  const lane_group lanes =
      grid.lanes == 0 ? tile_lanes : lane_group{0, 1, plan_->shape[static_cast<std::size_t>(s.lane_axis)]};
  const auto side_at = [&](const cursor& map, buffer_list buffers, arrivals* waiting, run* runs) {
    const run& r = map.runs_at(buffers, s.line_axis, s.lane_axis, lanes, at, waiting, runs).front();
    return line_grid::side{r.address, r.stride, r.lane_stride};
  };
  const auto side_in_tile = [&](const line_grid::side& like) {
    return line_grid::side{c.tile, like.stride, like.lane_stride};
  };
  line_grid lines = grid.lines();
  if (grid.lanes == 0) lines.lanes = lanes.count;
  lines.from = first ? side_at(source_, c.source, c.waiting, c.source_runs[c.turn]) : side_in_tile(grid.from);
  lines.to = last ? side_at(sink_, c.sink, nullptr, c.sink_runs[c.turn]) : side_in_tile(grid.to);
  // Lanes of a chunk may be every second line, or fewer.
  if (lines.from.lane_stride != grid.from.lane_stride || lines.to.lane_stride != grid.to.lane_stride) return false;
  lines.fetch = first && plan_->large;
  lines.ahead = first;
  if (last && c.stream) {
    auto bits = reinterpret_cast<std::uintptr_t>(lines.to.address) | static_cast<std::uintptr_t>(lines.to.stride);
    for (const auto& l : lines.loops) bits |= static_cast<std::uintptr_t>(l.to);
    lines.stream = bits % 64 == 0;
  }
  if (grid.lanes == 0 && !grid.gathered && !kernels_[number]->takes(lines)) return false;
  flush(c, {});
  if (grid.gathered) {
    gathered_.transform(*kernels_[number], lines, c.kernel_scratch, c.staging - gathered_bytes_);
    return true;
  }
  kernels_[number]->transform(lines, c.kernel_scratch);
  return true;
}

run transform_pass::tile_run(const call& c, const tile_step& s, const positions& at, const lane_group& lanes,
                             integer lane) const {
  integer offset = 0;
  for (const int l : s.inner_axes)
    offset += at[static_cast<std::size_t>(l)] * plan_->strides[static_cast<std::size_t>(l)];
  integer lane_stride = 0;
  if (s.lane_axis >= 0) {
    lane_stride = plan_->strides[static_cast<std::size_t>(s.joint ? plan_->carried : s.lane_axis)];
    offset += lane * lane_stride;
    // Inside a tile the chunk's lanes are numbered from 0, other axes by their positions.
    if (s.lane_axis != plan_->chunk_axis) lane_stride *= lanes.step;
  }
  const auto line = static_cast<std::size_t>(s.line_axis);
  return {c.tile + offset, 0, 1, plan_->shape[line], plan_->strides[line], lane_stride};
}

std::span<const run> transform_pass::without(const absent_positions& absent, const run& whole, run* runs) {
  std::size_t count = 0;
  integer begin = 0;
  const auto add_nothing_until = [&](integer end) {
    if (end > begin) runs[count++] = {nullptr, begin, 1, end - begin, 0, 0};
  };
  absent.each_present(whole.count, [&](const slice& part) {
    add_nothing_until(part.first);
    runs[count++] = {
        whole.address + part.first * whole.stride, part.first, 1, part.count, whole.stride, whole.lane_stride};
    begin = part.last() + 1;
  });
  add_nothing_until(whole.count);
  return {runs, count};
}

void transform_pass::run_bundle(call& c, std::size_t number, const positions& at, const lane_group& lanes,
                                integer lane) const {
  const tile_step& s = plan_->steps[number];
  const bool first = number == 0, last = number + 1 == plan_->steps.size() && !c.copy;
  run* const source_runs = c.source_runs[c.turn];
  run* const sink_runs = c.sink_runs[c.turn];
  const bool is_staged = (first && loading_.is_staged()) || (number + 1 == plan_->steps.size() && storing_.is_staged());
  std::span<const run> loads, stores;
  if (first) loads = source_.runs_at(c.source, s.line_axis, s.lane_axis, lanes, at, c.waiting, source_runs);
  if (last) stores = sink_.runs_at(c.sink, s.line_axis, s.lane_axis, lanes, at, nullptr, sink_runs);
  if (!first || !last) {
    const run tile = tile_run(c, s, at, lanes, lane);
    if (!first) loads = without(s.absent_in, tile, c.loads_in_tile[c.turn]);
    if (!last) stores = without(s.absent_out, tile, c.stores_in_tile[c.turn]);
  }
  flush(c, first || tile_bytes_ > prefetch_threshold_bytes ? loads : std::span<const run>{});
  c.from = {loads, static_cast<int>(lanes.count)};
  c.to = {stores, static_cast<int>(lanes.count), {}, last && c.stream};
  // Kernels like full bundles. Along a row of the tile more lanes can be loaded than there are, and stored
  // where the row ends: zeros stay zeros.
  const bool along_rows = s.lane_axis == plan_->fastest && s.joint == (plan_->carried >= 0);
  if (!first && along_rows && lanes.step == 1 && lanes.first + plan_->lanes <= plan_->row_lanes) {
    c.from.lanes = plan_->lanes;
    if (!last && lanes.first + lanes.count == plan_->row_length) c.to.lanes = plan_->lanes;
  }
  c.waits = kernels_[number].get();
  c.turn = 1 - c.turn;
  c.is_staged = is_staged;
  if (!is_staged) return;
  c.number = number;
  c.at = at;
  c.lanes = lanes;
}

void transform_pass::flush(call& c, std::span<const run> next) const {
  if (c.waits == nullptr) return;
  if (c.is_staged) {
    run_staged(c, next);
  } else {
    c.from.next = next;
    c.waits->transform(c.from, c.to, c.kernel_scratch);
  }
  c.waits = nullptr;
}

void transform_pass::copy_tile(call& c, positions& at, const lane_group& tile_lanes) const {
  for (const tile_gap& gap : gaps_) clear_gap(gap, c.tile);
  for (const tile_copy& part : copies_) {
    const tile_step& s = plan_->steps.back();
    for (const int l : plan_->tile_axes) at[static_cast<std::size_t>(l)] = part.first[static_cast<std::size_t>(l)];
    const lane_group lane{part.first[static_cast<std::size_t>(plan_->fastest)], 1, 1};
    const auto to = copied_.runs_at(c.sink, s.line_axis, plan_->fastest, lane, at, nullptr, c.sink_runs[c.turn]);
    const auto bytes = static_cast<std::size_t>(part.grid.lanes * plan_->element_bytes);
    for_each_place(part.grid.loops, c.tile + part.offset, to[part.line_piece].address,
                   [&](const std::byte* from, std::byte* sink) { c.out->write(from, sink, bytes); });
  }
  for (const int l : plan_->tile_axes) at[static_cast<std::size_t>(l)] = 0;
  if (!copies_.empty()) return;
  c.row = 0;
  each_position(plan_->steps.back().inner_axes, plan_->shape, &plan_->steps.back().skipped, at, [&] {
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
