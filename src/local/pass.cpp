// SPDX-License-Identifier: BSD-3-Clause
#include "local/pass.hpp"

#include <algorithm>
#include <limits>

namespace weft::local {

namespace {

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

bool tile_is_like_sink(const std::vector<axis_transform>& transforms) {
  const line_row& first = row_of(transforms.front().kind);
  return first.in != first.out && (transforms.size() > 1 || first.out == element_type::complex);
}

operation_list along(std::span<const axis_transform> transforms, const operation_list& operations) {
  operation_list found;
  for (const auto& o : operations) {
    const int* const axis = axis_of(o);
    if (axis != nullptr && std::ranges::find(transforms, *axis, &axis_transform::axis) != transforms.end()) {
      found.push_back(o);
    }
  }
  return found;
}

bool safe_in_place(const pass_problem& problem) {
  if (problem.transforms.empty() || problem.narrow_source != problem.narrow_sink) return false;
  const auto from = comparable(problem.source), to = comparable(problem.sink);
  if (problem.source_bytes == problem.sink_bytes) return from == to;
  // A padded real array: every line of reals starts where its complex line starts.
  const bool single = from.cells.size() == 1 && to.cells.size() == 1 && from.cells[0] == to.cells[0] &&
                      from.placements[0].buffer == to.placements[0].buffer;
  if (!single) return false;
  const auto half = std::ranges::find_if(
      problem.transforms, [](const axis_transform& t) { return row_of(t.kind).in != row_of(t.kind).out; });
  const auto halved = static_cast<std::size_t>(half->axis);
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
  if (problem.transforms.empty() || problem.source_bytes != problem.sink_bytes ||
      problem.narrow_source != problem.narrow_sink) {
    return false;
  }
  const auto from = comparable(problem.source), to = comparable(problem.sink);
  if (from.shape != to.shape || from.pieces != to.pieces) return false;
  // What is cleared was not loaded from there; something else may have been.
  const auto clears = [&](const access_map& m) {
    return volume(m.shape) > 0 && std::ranges::any_of(m.placements, [&](const auto& p) { return p.buffer == buffer; });
  };
  if (std::ranges::any_of(problem.cleared, clears)) return false;
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

}  // namespace weft::local
