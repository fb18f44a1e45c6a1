// SPDX-License-Identifier: BSD-3-Clause
#include "local/transform_pass.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "local/clear.hpp"
#include "local/copying_kernel.hpp"
#include "local/staging.hpp"
#include "local/threads.hpp"
#include "weft/error.hpp"

namespace weft::local {

namespace {

std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// A tile beyond this size has partly left a core's own cache when the next transform reads it.
constexpr std::size_t prefetch_threshold_bytes = std::size_t{512} << 10;

/// How often a pass lets something else be done meanwhile, if it has so many tiles.
constexpr integer pauses = 32;

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

/// Whether every line along `axis` is one run of memory where it is loaded and where it is stored.
bool has_whole_lines(const pass_problem& problem, int axis) {
  return std::ranges::all_of(std::array{&problem.source, &problem.sink}, [&](const access_map* map) {
    return map->pieces[static_cast<std::size_t>(axis)].size() == 1 &&
           std::ranges::none_of(map->cells, [](const auto& c) { return c.placement < 0; });
  });
}

/// The most lines along one axis.
integer most_lines(const pass_problem& problem) {
  integer most = 1;
  for (const auto& t : problem.transforms) {
    most = std::max(most, volume(problem.source.shape) / problem.source.shape[static_cast<std::size_t>(t.axis)]);
  }
  return most;
}

/// Operations in the kernels of their axes; scaling in the first or the last.
std::vector<line_problem> line_problems(const pass_problem& problem, int lanes, int threads) {
  std::vector<line_problem> lines;
  for (const auto& t : problem.transforms) {
    lines.push_back({t.kind, t.length, problem.element, lanes, t.lines_contiguous,
                     problem.transforms.size() == 1 && has_whole_lines(problem, t.axis), threads});
  }
  const auto number_of = [&](int axis) {
    const auto found = std::ranges::find(problem.transforms, axis, &axis_transform::axis);
    if (found == problem.transforms.end()) throw internal_error("an operation along an axis that is not transformed");
    return static_cast<std::size_t>(found - problem.transforms.begin());
  };
  const auto give = [&](const element_operation& o, std::size_t outermost, operation_list line_problem::*list) {
    const int* const axis = axis_of(o);
    const std::size_t number = axis == nullptr ? outermost : number_of(*axis);
    if (number != outermost && std::holds_alternative<conjugation>(o)) {
      throw internal_error("a conjugation that other transforms stand before");
    }
    (lines[number].*list).push_back(o);
  };
  for (const auto& o : problem.loading) {
    if (!asks_for_positions(o)) give(o, 0, &line_problem::loading);
  }
  for (const auto& o : problem.storing) {
    if (!asks_for_positions(o)) give(o, lines.size() - 1, &line_problem::storing);
  }
  return lines;
}

std::vector<pointwise> pointwise_of(const operation_list& operations) {
  std::vector<pointwise> found;
  for (const auto& o : operations) {
    if (const auto* p = std::get_if<pointwise>(&o)) found.push_back(*p);
  }
  return found;
}

/// What stands at each position along each axis, if `given` does not tell.
std::vector<extents> indices_of(const std::vector<extents>& given, const extents& shape) {
  if (!given.empty()) return given;
  std::vector<extents> indices;
  for (const integer n : shape) {
    indices.emplace_back(static_cast<std::size_t>(n));
    std::iota(indices.back().begin(), indices.back().end(), 0);
  }
  return indices;
}

/// The ranges of positions that have an index.
std::vector<slice> present_of(const extents& indices) {
  std::vector<slice> ranges;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    if (indices[k] < 0) continue;
    if (k == 0 || indices[k - 1] < 0) ranges.push_back({static_cast<integer>(k), 1, 0});
    ++ranges.back().count;
  }
  return ranges;
}

/// Calls `visit` with a value of the type of element.
template <class Visit>
void with_element(element_type type, precision p, const Visit& visit) {
  const bool real = type == element_type::real;
  if (p == precision::f32) return real ? visit(float{}) : visit(std::complex<float>{});
  real ? visit(double{}) : visit(std::complex<double>{});
}

/// A bundle whose lanes are adjacent in a dense buffer.
run dense_run(std::byte* buffer, integer elements, integer lanes, integer element_bytes) {
  return {buffer, 0, 1, elements, lanes * element_bytes, element_bytes};
}

template <class T>
staged<T> as_staged(const run& dense) {
  return {reinterpret_cast<T*>(dense.address), dense.stride / static_cast<integer>(sizeof(T)), 1};
}

}  // namespace

/// A bundle waits until the next one is known, so that the kernel can fetch that meanwhile.
struct transform_pass::call {
  buffer_list source, sink;
  arrivals* waiting;
  std::byte* kernel_scratch;
  std::byte* tile;
  std::byte* staging;
  run* source_runs[2];
  run* sink_runs[2];
  bool stream;  // the kernels may stream
  bool copy;    // copy_tile() does

  const kernel* waits = nullptr;  // for the bundle below
  bundle from = {}, to = {};
  bool is_staged = false;  // the bundle is, and then this is where it belongs:
  std::size_t number = 0;
  positions at = {};
  lane_group lanes = {};
  run loads_in_tile[2][5] = {}, stores_in_tile[2][5] = {};
  std::size_t turn = 0;  // which of the two lists of each kind is free
  line_stream* out = nullptr;
  std::size_t row = 0;  // of the tile, the next to be copied
};

transform_pass::transform_pass(const pass_problem& problem, const line_engine& local)
    : source_(problem.source), sink_(problem.sink), cleared_(problem.cleared), precision_(problem.element) {
  if (volume(problem.source.shape) == 0 || volume(problem.sink.shape) == 0) return;
  int lanes = 1;
  for (const auto& t : problem.transforms) lanes = std::max(lanes, local.lanes(t.kind, t.length, problem.element));
  lanes = static_cast<int>(std::min<integer>(lanes, most_lines(problem)));
  plan_.emplace(problem, lanes);
  source_ = cursor(plan_->source);
  sink_ = cursor(plan_->sink);
  // Where there are fewer tiles than threads, a kernel may have them all.
  const int inside = plan_->tiles < problem.threads ? problem.threads : 1;
  for (const auto& line : line_problems(problem, lanes, inside)) {
    kernels_.push_back(line.kind == line_kind::none
                           ? make_copying_kernel(line, type_of(problem.source_bytes << unsigned{problem.narrow_source}))
                           : local.make_kernel(line));
    kernel_scratch_ = std::max(kernel_scratch_, aligned(kernels_.back()->scratch_bytes()));
  }
  sink_bytes_ = problem.sink_bytes;
  plan_operations(problem);
  plan_grids(problem);
  tile_bytes_ = aligned(plan_->bytes);
  source_runs_ = aligned(sizeof(run) * source_.most_runs());
  sink_runs_ = aligned(sizeof(run) * sink_.most_runs());
  row_streams_ = streams_of(*plan_);
  thread_scratch_ = kernel_scratch_ + tile_bytes_ + 2 * source_runs_ + 2 * sink_runs_ +
                    aligned(sizeof(line_stream) * row_streams_) + staging_;
  const bool spread = std::ranges::any_of(kernels_, [](const auto& k) { return k->spreads(); });
  threads_ = spread ? 1 : static_cast<int>(std::clamp<integer>(problem.threads, 1, plan_->tiles));
  plan_stops(problem.telling, problem.following);
}

element_type transform_pass::type_of(std::size_t bytes) const {
  return bytes == real_bytes(precision_) ? element_type::real : element_type::complex;
}

void transform_pass::plan_operations(const pass_problem& problem) {
  const auto& load = problem.loading;
  const auto& store = problem.storing;
  if (!std::ranges::is_partitioned(load, is_pointwise) ||
      !std::ranges::is_partitioned(store, std::not_fn(is_pointwise))) {
    throw internal_error("a pointwise operation stands between a transform and what goes with it");
  }
  const auto plan_side = [&](side& s, const operation_list& operations, const axis_transform& t, bool loads) {
    s.operations = pointwise_of(operations);
    s.narrow = loads ? problem.narrow_source : problem.narrow_sink;
    if (!s.is_staged() && std::ranges::none_of(operations, turns_lines_apart)) return;
    const line_row& row = row_of(t.kind);
    s.type = type_of((loads ? problem.source_bytes : problem.sink_bytes) << unsigned{s.narrow});
    s.line_elements = loads ? row.in_extent(t.length) : row.out_extent(t.length);
    s.indices = indices_of(loads ? problem.source_indices : problem.sink_indices,
                           loads ? problem.source.shape : problem.sink.shape);
    s.present = present_of(s.indices[static_cast<std::size_t>(t.axis)]);
    const auto line_bytes = static_cast<std::size_t>(s.line_elements) * bytes_of(s.type, precision_);
    s.staging = staging_;
    staging_ += aligned(line_bytes * static_cast<std::size_t>(plan_->lanes));
    s.tables = staging_;
    for (const auto& o : operations) {
      if (!turns_lines_apart(o)) continue;
      s.turners.push_back(make_bundle_turner(std::get<turning>(o), t.axis, s.line_elements, plan_->lanes, precision_));
      staging_ += s.turners.back()->table_bytes();
    }
  };
  plan_side(loading_, load, problem.transforms.front(), true);
  plan_side(storing_, store, problem.transforms.back(), false);
}

void transform_pass::plan_grids(const pass_problem& problem) {
  const std::size_t count = plan_->steps.size();
  const auto plan_one = [&](std::size_t number, bool copied) {
    const bool first = number == 0, last = number + 1 == count;
    if ((first && loading_.is_staged()) || (last && storing_.is_staged())) return tile_grid{};
    // In place, such a line may begin where another one is still to be loaded from.
    if (first && last && !copied && problem.source_bytes != problem.sink_bytes) return tile_grid{};
    tile_grid grid = grid_of(*plan_, number, !first, !last || copied);
    line_grid lines = grid.lines();
    lines.fetch = first && plan_->large;
    lines.stream = last && !copied && plan_->large;
    grid.possible = grid.possible && kernels_[number]->takes(lines);
    return grid;
  };
  for (std::size_t i = 0; i < count; ++i) grids_.push_back(plan_one(i, false));
  all_grids_ = plan_->chunk_axis < 0 && std::ranges::all_of(grids_, &tile_grid::possible);
  if (!plan_->can_copy) return;
  last_in_tile_ = plan_one(count - 1, true);
  copies_ = copies_of(*plan_);
  // To lines in pieces a kernel goes bundle by bundle, which takes longer than a grid in the tile and a copy.
  copies_grid_ = !grids_.back().possible && last_in_tile_.possible && !copies_.empty();
}

void transform_pass::plan_stops(const milestones& telling, const milestones& following) {
  // Only milestones along the axis that the tiles run through slowest can be told.
  if (plan_->slowest >= 0 && plan_->slowest == telling.axis) {
    for (const integer position : telling.positions) {
      stops_.push_back({plan_->tiles_before(position), stop::kind::tell, position});
    }
  }
  integer part = 0;
  for (const integer position : following.positions) {
    if (plan_->slowest != following.axis) throw internal_error("a pass that cannot follow its source");
    stops_.push_back({plan_->tiles_before(position), stop::kind::reach, ++part});
  }
  if (threads_ > 1) plan_needs();
  std::ranges::stable_sort(stops_, {}, &stop::tiles);
}

/// Several threads must not ask for messages on their own: all stop before the first tile that needs another one.
void transform_pass::plan_needs() {
  const std::size_t all = source_.first_cells(plan_->tile_axes);
  std::set<integer> cells;
  std::set<int> asked;
  std::vector<int> messages;
  for (integer tile = 0; tile < plan_->tiles && cells.size() < all; ++tile) {
    const integer cell = source_.first_cell(plan_->positions_of(tile), plan_->tile_axes);
    if (!cells.insert(cell).second) continue;
    messages.clear();
    source_.add_messages(cell, plan_->tile_axes, messages);
    for (const int m : messages) {
      if (asked.insert(m).second) stops_.push_back({tile, stop::kind::need, m});
    }
  }
}

void transform_pass::execute(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting,
                             departures* leaving) const {
  if (!plan_) return;
  for (const auto& map : cleared_) clear(map, sink, sink_bytes_);
  if (waiting != nullptr) waiting->reach(0);
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
         // In place, the lines to be stored were just read and are in cache.
         plan_->large && source[0] != sink[0],
         false};
  c.out = row_streams(scratch, 0);
  c.copy = c.stream && plan_->can_copy && (copies_grid_ || !sink_is_aligned(sink));
  if (c.copy) c.stream = false;
  if (!all_grids_) clear_row_ends(c.tile);
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

/// What run_bundle() loads beyond the rows of a tile.
void transform_pass::clear_row_ends(std::byte* tile) const {
  if (plan_->row_lanes == 0) return;
  const integer length = plan_->row_length;
  const integer lanes = std::min(plan_->row_lanes - length, (plan_->lanes - length % plan_->lanes) % plan_->lanes);
  if (lanes == 0) return;
  positions at{};
  each_position(plan_->row_axes, plan_->shape, nullptr, at, [&] {
    std::byte* row = tile;
    for (const int l : plan_->row_axes)
      row += at[static_cast<std::size_t>(l)] * plan_->strides[static_cast<std::size_t>(l)];
    std::memset(row + length * plan_->element_bytes, 0, static_cast<std::size_t>(lanes * plan_->element_bytes));
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
  if (run_grid(c, number, at, tile_lanes)) return;
  const tile_step& s = plan_->steps[number];
  each_position(s.inner_axes, plan_->shape, &s.skipped, at, [&] {
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
  if (last && c.stream) {
    auto bits = reinterpret_cast<std::uintptr_t>(lines.to.address) | static_cast<std::uintptr_t>(lines.to.stride);
    for (const auto& l : lines.loops) bits |= static_cast<std::uintptr_t>(l.to);
    lines.stream = bits % 64 == 0;
  }
  flush(c, {});
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

void transform_pass::run_staged(call& c, std::span<const run> next) const {
  const auto dense = [&](const side& on) {
    return dense_run(c.staging + on.staging, on.line_elements, c.lanes.count,
                     static_cast<integer>(bytes_of(on.type, precision_)));
  };
  const auto lanes = static_cast<int>(c.lanes.count);
  bundle from{c.from.runs, lanes, next};
  bundle to{c.to.runs, lanes, {}, c.to.stream};
  const bool loads = c.number == 0 && loading_.is_staged();
  const bool stores = c.number + 1 == plan_->steps.size() && storing_.is_staged();
  run loaded, stored;
  if (loads) {
    loaded = dense(loading_);
    load_staged(from, loaded, c);
    from = {{&loaded, 1}, lanes};
  }
  if (stores) {
    stored = dense(storing_);
    to = {{&stored, 1}, lanes};
  }
  c.waits->transform(from, to, c.kernel_scratch);
  if (stores) store_staged(stored, {c.to.runs, lanes, {}, c.to.stream}, c);
}

/// To the dense buffer, with all that is done to elements when they are loaded.
void transform_pass::load_staged(const bundle& from, const run& to, const call& c) const {
  const tile_step& s = plan_->steps[c.number];
  const side& on = loading_;
  const auto lanes = from.lanes;
  std::size_t turned = 0;
  std::byte* tables = c.staging + on.tables;
  if (!on.narrow && on.operations.empty() && !on.turners.empty() && on.turners[0]->has_rows(from)) {
    on.turners[0]->prepare(c.at, s.lane_axis, c.lanes, tables);
    on.turners[0]->load_turned(from, to, tables);
    turned = 1;
  } else {
    with_element(on.type, precision_, [&]<class T>(T) {
      if (on.narrow) {
        load<T, narrow<T>>(from, as_staged<T>(to));
      } else {
        load(from, as_staged<T>(to));
      }
    });
    operate(on, to, s, c.at, c.lanes);
  }
  for (std::size_t i = 0; i < on.turners.size(); tables += on.turners[i++]->table_bytes()) {
    if (i < turned) continue;
    on.turners[i]->prepare(c.at, s.lane_axis, c.lanes, tables);
    on.turners[i]->turn(to, lanes, tables);
  }
}

/// And back: those that turn come first, and the last of them may do so on the way.
void transform_pass::store_staged(const run& from, const bundle& to, const call& c) const {
  const tile_step& s = plan_->steps[c.number];
  const side& on = storing_;
  std::byte* tables = c.staging + on.tables;
  for (std::size_t i = 0; i < on.turners.size(); tables += on.turners[i++]->table_bytes()) {
    on.turners[i]->prepare(c.at, s.lane_axis, c.lanes, tables);
    if (i + 1 == on.turners.size() && !on.narrow && on.operations.empty() && on.turners[i]->has_rows(to)) {
      return on.turners[i]->store_turned(from, to, tables);
    }
    on.turners[i]->turn(from, to.lanes, tables);
  }
  operate(on, from, s, c.at, c.lanes);
  with_element(on.type, precision_, [&]<class T>(T) {
    using real = decltype(std::abs(T{}));
    if (on.narrow) {
      store<T, real, narrow<T>>(as_staged<T>(from), to, real{1});
    } else {
      store(as_staged<T>(from), to);
    }
  });
}

void transform_pass::operate(const side& on, const run& lines, const tile_step& s, const positions& at,
                             const lane_group& lanes) const {
  if (on.operations.empty()) return;
  const auto line = static_cast<std::size_t>(s.line_axis);
  const auto lane = static_cast<std::size_t>(s.lane_axis);  // of no axis where there are no lanes
  positions index{};
  for (std::size_t l = 0; l < on.indices.size(); ++l) {
    if (l == line || l == lane) continue;
    index[l] = on.indices[l][static_cast<std::size_t>(at[l])];
    if (index[l] < 0) return;
  }
  for (integer k = 0; k < lanes.count; ++k) {
    if (s.lane_axis >= 0) {
      index[lane] = on.indices[lane][static_cast<std::size_t>(lanes[k])];
      if (index[lane] < 0) continue;
    }
    for (const slice& part : on.present) {
      const auto along = std::span<const integer>(on.indices[line])
                             .subspan(static_cast<std::size_t>(part.first), static_cast<std::size_t>(part.count));
      index[line] = along.front();
      const element_line here{lines.address + k * lines.lane_stride + part.first * lines.stride,
                              lines.stride,
                              part.count,
                              s.line_axis,
                              along,
                              {index.data(), on.indices.size()}};
      for (const auto& operation : on.operations) operation(here);
    }
  }
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
  for (const tile_copy& part : copies_) {
    const tile_step& s = plan_->steps.back();
    for (const int l : plan_->tile_axes) at[static_cast<std::size_t>(l)] = part.first[static_cast<std::size_t>(l)];
    const lane_group lane{part.first[static_cast<std::size_t>(plan_->fastest)], 1, 1};
    const auto to = sink_.runs_at(c.sink, s.line_axis, plan_->fastest, lane, at, nullptr, c.sink_runs[c.turn]);
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
