#include "local/pass.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "local/copy_pass.hpp"
#include "local/joined_axes.hpp"
#include "local/transform_pass.hpp"

namespace weft::local {

namespace {

/// A tile larger than a core's share of the last cache would make every inner axis a pass of its own
/// through memory; up to here it does not. Measured, see docs/performance.md.
constexpr integer tile_limit_bytes = integer{4} << 20;

/// A tile that is the whole array saves no passes through memory, and the array in cache besides the tile
/// is one too many unless both are small.
constexpr integer whole_tile_limit_bytes = integer{512} << 10;

/// Lines along the last axis that is longer than one are contiguous, unless a user's layout says otherwise.
/// But kernels order their operations by this, and results must not depend on where arrays lie.
void find_contiguous_lines(pass_problem& problem) {
  const extents& shape = problem.source_bytes < problem.sink_bytes ? problem.sink.shape : problem.source.shape;
  auto last = static_cast<int>(shape.size()) - 1;
  while (last > 0 && shape[static_cast<std::size_t>(last)] == 1) --last;
  for (auto& t : problem.transforms) t.lines_contiguous = t.axis == last;
}

/// Strides along axes of one element say nothing.
access_map comparable(access_map map) {
  for (auto& p : map.placements) {
    for (std::size_t l = 0; l < map.shape.size(); ++l) {
      if (map.shape[l] == 1) p.strides[l] = 0;
    }
  }
  return map;
}

/// Null where nothing is.
const placement* placement_of(const access_map& map, std::size_t cell) {
  const int number = map.cells[cell].placement;
  return number < 0 ? nullptr : &map.placements[static_cast<std::size_t>(number)];
}

}  // namespace

std::unique_ptr<pass> make_pass(const pass_problem& problem, const engine& local) {
  if (problem.transforms.empty()) return std::make_unique<copy_pass>(problem);
  pass_problem known = problem;
  find_contiguous_lines(known);  // before axes disappear
  return std::make_unique<transform_pass>(with_joined_axes(std::move(known)), local);
}

bool safe_in_place(const pass_problem& problem) {
  if (problem.transforms.empty()) return false;
  const auto from = comparable(problem.source), to = comparable(problem.sink);
  if (problem.source_bytes == problem.sink_bytes) return from == to;
  // A padded real array: every line of reals starts where its complex line starts.
  const bool single = from.cells.size() == 1 && to.cells.size() == 1 && from.cells[0] == to.cells[0] &&
                      from.placements[0].buffer == to.placements[0].buffer;
  if (!single) return false;
  const auto& half = problem.source_bytes < problem.sink_bytes ? problem.transforms.front() : problem.transforms.back();
  const auto halved = static_cast<std::size_t>(half.axis);
  for (std::size_t l = 0; l < from.shape.size(); ++l) {
    const integer a = from.placements[0].strides[l], b = to.placements[0].strides[l];
    if (l == halved ? a != static_cast<integer>(problem.source_bytes) || b != static_cast<integer>(problem.sink_bytes)
                    : a != b) {
      return false;
    }
  }
  return true;
}

bool keeps_place(const pass_problem& problem, int buffer) {
  if (problem.transforms.empty() || problem.source_bytes != problem.sink_bytes) return false;
  const auto from = comparable(problem.source), to = comparable(problem.sink);
  if (from.shape != to.shape || from.pieces != to.pieces) return false;
  // Parts of a source that is followed may take the places of others: what is kept must lie before them all.
  integer kept_from = -1, first_other = std::numeric_limits<integer>::max();
  for (std::size_t c = 0; c < to.cells.size(); ++c) {
    const auto* const here = placement_of(from, c);
    const auto* const there = placement_of(to, c);
    if (there == nullptr || there->buffer != buffer) {
      if (here != nullptr && here->buffer == 0) first_other = std::min(first_other, from.cells[c].offset);
      continue;
    }
    if (here == nullptr || here->buffer != 0 || here->strides != there->strides) return false;
    if (from.cells[c].offset != to.cells[c].offset) return false;
    kept_from = std::max(kept_from, from.cells[c].offset);
  }
  return problem.following.positions.empty() || kept_from < first_other;
}

std::size_t transforms_in_one_pass(std::span<const axis_transform> transforms, const extents& shape, precision element,
                                   const engine& local) {
  auto tile = static_cast<integer>(complex_bytes(element));
  for (std::size_t i = 0; i < transforms.size(); ++i) {
    const auto axis = static_cast<std::size_t>(transforms[i].axis);
    tile *= std::max<integer>(1, shape[axis]);
    // Lanes of the contiguous axis come on top as long as that axis is not itself transformed.
    const bool has_last = std::any_of(transforms.begin(), transforms.begin() + static_cast<std::ptrdiff_t>(i + 1),
                                      [&](const auto& t) { return t.axis + 1 == static_cast<int>(shape.size()); });
    const integer lanes = has_last ? 1 : local.lanes(transforms[i].kind, transforms[i].length, element);
    const bool whole = i + 1 == shape.size();
    if (i > 0 && tile * lanes > (whole ? whole_tile_limit_bytes : tile_limit_bytes)) return i;
  }
  return transforms.size();
}

}  // namespace weft::local
