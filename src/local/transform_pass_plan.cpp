// SPDX-License-Identifier: BSD-3-Clause
// What a transform pass decides when it is made: kernels, grids, scratch, and where it stops.
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "local/copying_kernel.hpp"
#include "local/cosine_digit_kernel.hpp"
#include "local/transform_pass.hpp"
#include "weft/error.hpp"

namespace weft::local {

namespace {

std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// Lines whose components are taken apart are to stay in a core's own cache.
constexpr std::size_t most_gathered_bytes = std::size_t{512} << 10;

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

/// Whether every line along `axis` is one run of memory where it is loaded and where it is stored.
bool has_whole_lines(const pass_problem& problem, int axis) {
  return std::ranges::all_of(std::array{&problem.source, &problem.sink}, [&](const access_map* map) {
    return map->pieces[static_cast<std::size_t>(axis)].size() == 1 &&
           std::ranges::none_of(map->cells, [](const auto& c) { return c.placement < 0; });
  });
}

/// Whether elements of a line along `axis` meet in few sets of the first cache, which cannot keep them all: they are
/// whole pages apart.
bool meets_in_few_sets(const access_map& map, int axis) {
  constexpr integer set_bytes = 4096, few = 32;
  const auto l = static_cast<std::size_t>(axis);
  return map.shape[l] >= few &&
         std::ranges::all_of(map.placements, [&](const placement& p) { return p.strides[l] % set_bytes == 0; });
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

}  // namespace

transform_pass::transform_pass(const pass_problem& problem, const line_engine& local)
    : source_(problem.source),
      sink_(problem.sink),
      copied_(problem.sink),
      cleared_(problem.cleared),
      precision_(problem.element) {
  if (volume(problem.source.shape) == 0 || volume(problem.sink.shape) == 0) return;
  int lanes = 1;
  for (const auto& t : problem.transforms) lanes = std::max(lanes, local.lanes(t.kind, t.length, problem.element));
  if (const auto& only = problem.transforms.front();
      problem.transforms.size() == 1 && is_trigonometric_digit(only.kind)) {
    lanes = std::max(lanes, lanes_of_cosine_digits(only.length, problem.element));
  }
  lanes = static_cast<int>(std::min<integer>(lanes, most_lines(problem)));
  plan_.emplace(problem, lanes);
  source_ = cursor(plan_->source);
  sink_ = cursor(plan_->sink);
  // Where there are fewer tiles than threads, a kernel may have them all.
  const int inside = plan_->tiles < problem.threads ? problem.threads : 1;
  for (const auto& line : line_problems(problem, lanes, inside)) {
    if (line.kind == line_kind::none) {
      const element_type type = type_of(problem.source_bytes << unsigned{problem.narrow_source});
      kernels_.push_back(make_copying_kernel(line, type));
    } else if (is_trigonometric_digit(line.kind)) {
      kernels_.push_back(make_cosine_digit_kernel(line, local));
    } else {
      kernels_.push_back(local.make_kernel(line));
    }
    kernel_scratch_ = std::max(kernel_scratch_, aligned(kernels_.back()->scratch_bytes()));
  }
  sink_bytes_ = problem.sink_bytes;
  streams_in_place_ = problem.streams_in_place && plan_->steps.size() == 1 &&
                      meets_in_few_sets(plan_->sink, plan_->steps.front().line_axis);
  plan_operations(problem);
  plan_grids(problem);
  tile_bytes_ = aligned(plan_->bytes);
  source_runs_ = aligned(sizeof(run) * source_.most_runs());
  sink_runs_ = aligned(sizeof(run) * std::max(sink_.most_runs(), copied_.most_runs()));
  row_streams_ = streams_of(*plan_);
  tile_runs_ = 2 * source_runs_ + 2 * sink_runs_ + aligned(sizeof(line_stream) * row_streams_);
  thread_scratch_ = kernel_scratch_ + tile_bytes_ + tile_runs_ + aligned(4 * sizeof(run) * most_tile_runs) +
                    gathered_bytes_ + staging_;
  const bool spread = std::ranges::any_of(kernels_, [](const auto& k) { return k->spreads(); });
  threads_ = spread ? 1 : static_cast<int>(std::clamp<integer>(problem.threads, 1, plan_->tiles));
  plan_stops(problem.telling, problem.following);
  plan_one_tile();
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
    if (grid.gathered) return grid;
    line_grid lines = grid.lines();
    lines.fetch = first && plan_->large;
    lines.stream = last && !copied && plan_->large;
    grid.apart = lines.apart = first != (last && !copied);
    const auto takes = [&](integer lanes) {
      lines.lanes = lanes;
      return kernels_[number]->takes(lines);
    };
    if (!grid.possible) return grid;
    grid.possible = grid.lanes > 0 ? takes(grid.lanes) : std::ranges::any_of(plan_->chunks, takes, &lane_group::count);
    const integer full = (grid.lanes + plan_->lanes - 1) / plan_->lanes * plan_->lanes;
    if (grid.possible || !grid.along_rows || full > plan_->row_lanes || !takes(full)) return grid;
    grid.possible = pads_rows_ = true;
    grid.lanes = full;
    return grid;
  };
  for (std::size_t i = 0; i < count; ++i) grids_.push_back(plan_one(i, false));
  plan_gathered(problem);
  all_grids_ = plan_->chunk_axis < 0 && std::ranges::all_of(grids_, &tile_grid::possible);
  if (plan_->can_copy) last_in_tile_ = plan_one(count - 1, true);
  reads_row_ends_ = !all_grids_ || pads_rows_;
  row_ends_ = row_ends_of(*plan_);
  if (!plan_->can_copy) return;
  plan_copies(problem);
  // To lines in pieces a kernel goes bundle by bundle, which for short ones takes longer than a grid in the tile and a
  // copy. Short are those that it would stream as a grid.
  line_grid whole = last_in_tile_.lines();
  whole.stream = true;
  copies_grid_ = !grids_.back().possible && last_in_tile_.possible && kernels_.back()->takes(whole) && !copies_.empty();
}

/// Small arrays are transformed in less time than it takes to find their lines.
void transform_pass::plan_one_tile() {
  if (!all_grids_ || plan_->tiles != 1 || plan_->large || plan_->can_copy || !stops_.empty() || !cleared_.empty())
    return;
  if (!source_.is_one_piece() || !sink_.is_one_piece() || std::ranges::any_of(grids_, &tile_grid::gathered)) return;
  const std::size_t last = grids_.size() - 1;
  const auto first_of = [&](const access_map& map, std::size_t& buffer) {
    buffer = static_cast<std::size_t>(map.placements[static_cast<std::size_t>(map.cells.front().placement)].buffer);
    return map.cells.front().offset;
  };
  for (std::size_t i = 0; i <= last; ++i) {
    line_grid& lines = one_tile_.emplace_back(grids_[i].lines());
    lines.ahead = i == 0;
    if (i == 0) source_offset_ = first_of(plan_->source, source_buffer_);
    if (i == last) sink_offset_ = first_of(plan_->sink, sink_buffer_);
  }
}

/// Elements of the carried axis must be adjacent, wherever they are.
void transform_pass::plan_gathered(const pass_problem& problem) {
  const std::size_t last = grids_.size() - 1;
  const auto bytes_apart = [&](const access_map& map) {
    return map.placements.front().strides[static_cast<std::size_t>(plan_->carried)];
  };
  for (std::size_t i = 0; i <= last; ++i) {
    if (!grids_[i].gathered) continue;
    const auto& t = problem.transforms[i];
    const line_row& row = row_of(t.kind);
    const auto bytes = [&](element_type type) { return static_cast<integer>(bytes_of(type, precision_)); };
    gathered_ = {plan_->shape[static_cast<std::size_t>(plan_->carried)],
                 plan_->lanes,
                 {row.in_extent(t.length), bytes(row.in)},
                 {row.out_extent(t.length), bytes(row.out)}};
    gathered_.suit(*kernels_[i]);
    // What is only copied may be real elements, and its kind does not tell.
    grids_[i].possible = grids_[i].possible && t.kind != line_kind::none && gathered_.bytes() <= most_gathered_bytes &&
                         (i > 0 || bytes_apart(plan_->source) == gathered_.in.bytes) &&
                         (i < last || bytes_apart(plan_->sink) == gathered_.out.bytes);
    if (grids_[i].possible) gathered_bytes_ = gathered_.bytes();
  }
}

/// With the gaps of the sink, if that is possible: rows without them would end and begin in the midst of cache lines.
void transform_pass::plan_copies(const pass_problem& problem) {
  if (!problem.cleared.empty()) copies_ = copies_of(*plan_, problem.filled_sink);
  if (!copies_.empty()) {
    copied_ = cursor(problem.filled_sink);
    gaps_ = gaps_of(*plan_, problem.transforms);
  } else {
    copies_ = copies_of(*plan_, plan_->sink);
    copied_ = sink_;
  }
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

}  // namespace weft::local
