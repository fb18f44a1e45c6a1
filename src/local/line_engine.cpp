// SPDX-License-Identifier: BSD-3-Clause
#include "local/line_engine.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "local/copy_pass.hpp"
#include "local/joined_axes.hpp"
#include "local/transform_pass.hpp"
#include "weft/error.hpp"

namespace weft::local {

namespace {

/// A tile larger than a core's share of the last cache would make every inner axis a pass of its own
/// through memory; up to here it does not. Measured, see docs/performance.md.
constexpr integer tile_limit_bytes = integer{4} << 20;

/// A tile that is the whole array saves no passes through memory, and the array in cache besides the tile
/// is one too many unless both are small.
constexpr integer whole_tile_limit_bytes = integer{512} << 10;

/// Far beyond both, far below what 64 bits hold.
constexpr integer any_tile_bytes = integer{1} << 40;

/// The product, or any_tile_bytes where it is more: extents of whole arrays may be beyond 64 bits together.
integer tile_product(integer tile, integer times) {
  return times > any_tile_bytes / tile ? any_tile_bytes : tile * times;
}

/// Whether the elements of a line meet in one set of the second cache, which has no room for those of the next line
/// besides. To pass over memory for such lines alone takes longer than for them and others together.
bool meets_in_one_set(const axis_transform& t, const extents& shape, precision element) {
  constexpr integer set_bytes = integer{64} << 10, room = 32;
  auto stride = static_cast<integer>(bytes_of(row_of(t.kind).out, element));
  for (auto l = static_cast<std::size_t>(t.axis) + 1; l < shape.size(); ++l) {
    stride = tile_product(stride, std::max<integer>(1, shape[l]));
  }
  return shape[static_cast<std::size_t>(t.axis)] > room && stride % set_bytes == 0;
}

/// So many components of an element do not fill a vector of lanes.
constexpr integer most_components = 7;

/// Lines along the last axis that is longer than one are contiguous, unless a user's layout says otherwise; behind a
/// few components, which are not transformed, kernels take them for contiguous, too, and assemble them. But kernels
/// order their operations by this, and results must not depend on where arrays lie.
void find_contiguous_lines(pass_problem& problem) {
  const extents& shape = tile_is_like_sink(problem.transforms) ? problem.sink.shape : problem.source.shape;
  const auto transformed = [&](int axis) {
    return std::ranges::find(problem.transforms, axis, &axis_transform::axis) != problem.transforms.end();
  };
  auto last = static_cast<int>(shape.size()) - 1;
  const auto skip_single = [&] {
    while (last > 0 && shape[static_cast<std::size_t>(last)] == 1) --last;
  };
  skip_single();
  if (last > 0 && !transformed(last) && shape[static_cast<std::size_t>(last)] <= most_components) --last;
  skip_single();
  for (auto& t : problem.transforms) t.lines_contiguous = t.axis == last;
}

/// The axis along which a copy has its lines: the last that is longer than one, but not the one it must run through
/// slowest.
int line_axis_of_copy(const pass_problem& problem) {
  int found = -1;
  for (int l = 0; l < static_cast<int>(problem.sink.shape.size()); ++l) {
    if (!problem.following.positions.empty() && problem.following.axis == l) continue;
    if (found < 0 || problem.sink.shape[static_cast<std::size_t>(l)] > 1) found = l;
  }
  if (found < 0) throw internal_error("a copy that operates on the axis that it follows");
  return found;
}

/// Throws unless the transforms are of kinds that `by` has, fit together, and fit what is loaded and stored.
void check(const pass_problem& problem, const engine& by) {
  const auto& transforms = problem.transforms;
  for (std::size_t i = 0; i < transforms.size(); ++i) {
    const line_row& row = row_of(transforms[i].kind);
    if (row.kind != line_kind::none && !by.has(row.kind)) {
      throw applicability_error("local engine '" + std::string(by.name()) + "' has no " + std::string(row.name) +
                                " transforms");
    }
    if (i > 0 && row.in != row_of(transforms[i - 1].kind).out) {
      throw internal_error("a transform takes other elements than the one before leaves");
    }
    if (row.in != row.out && i > 0 && i + 1 < transforms.size()) {
      throw internal_error("elements change between real and complex in the middle of a pass");
    }
  }
  const auto bytes = [&](element_type type) { return bytes_of(type, problem.element); };
  const std::size_t loaded = problem.source_bytes << unsigned{problem.narrow_source};
  const std::size_t stored = problem.sink_bytes << unsigned{problem.narrow_sink};
  if (transforms.front().kind == line_kind::none) {
    const bool known = loaded == bytes(element_type::real) || loaded == bytes(element_type::complex);
    if (!known || loaded != stored) throw internal_error("a copy makes no other elements than it loads");
  } else if (loaded != bytes(row_of(transforms.front().kind).in) ||
             stored != bytes(row_of(transforms.back().kind).out)) {
    throw internal_error("a pass loads or stores elements of another size than its transforms have");
  }
}

}  // namespace

std::unique_ptr<pass> line_engine::make_pass(const pass_problem& problem) const {
  pass_problem known = problem;
  if (problem.transforms.empty()) {
    const bool moves_only = problem.loading.empty() && problem.storing.empty();
    if (moves_only && problem.narrow_source == problem.narrow_sink) return std::make_unique<copy_pass>(problem);
    const int axis = line_axis_of_copy(problem);
    known.transforms.push_back({axis, line_kind::none, problem.sink.shape[static_cast<std::size_t>(axis)]});
  }
  check(known, *this);
  find_contiguous_lines(known);  // before axes disappear
  return std::make_unique<transform_pass>(with_joined_axes(std::move(known)), *this);
}

std::size_t line_engine::transforms_in_one_pass(std::span<const axis_transform> transforms, const extents& shape,
                                                precision element) const {
  using span = std::span<const axis_transform>;
  const auto passes_of = [&](span rest) {
    std::size_t count = 0;
    for (; !rest.empty(); ++count) rest = rest.subspan(most_in_one_pass(rest, shape, element));
    return count;
  };
  std::size_t count = most_in_one_pass(transforms, shape, element);
  const auto innermost = std::ranges::max_element(transforms, {}, &axis_transform::axis) - transforms.begin();
  if (static_cast<std::size_t>(innermost) < count) return count;
  const std::size_t passes = passes_of(transforms),
                    least = meets_in_one_set(transforms.front(), shape, element) ? 2 : 1;
  while (count > least && passes_of(transforms.subspan(count - 1)) + 1 == passes) --count;
  return count;
}

std::size_t line_engine::most_in_one_pass(std::span<const axis_transform> transforms, const extents& shape,
                                          precision element) const {
  auto tile = static_cast<integer>(bytes_of(row_of(transforms.front().kind).out, element));
  for (std::size_t i = 0; i < transforms.size(); ++i) {
    // A tile has one type of elements: the first transform may change it on the way in, the last on the way out.
    if (i > 1 && row_of(transforms[i - 1].kind).in != row_of(transforms[i - 1].kind).out) return i;
    const auto axis = static_cast<std::size_t>(transforms[i].axis);
    tile = tile_product(tile, std::max<integer>(1, shape[axis]));
    // Lanes of the contiguous axis come on top as long as that axis is not itself transformed.
    const bool has_last = std::any_of(transforms.begin(), transforms.begin() + static_cast<std::ptrdiff_t>(i + 1),
                                      [&](const auto& t) { return t.axis + 1 == static_cast<int>(shape.size()); });
    const integer lane_count = has_last ? 1
                                        : std::min<integer>(std::max<integer>(1, shape.back()),
                                                            lanes(transforms[i].kind, transforms[i].length, element));
    const bool whole = i + 1 == shape.size();
    if (i > 0 && tile * lane_count > (whole ? whole_tile_limit_bytes : tile_limit_bytes)) return i;
  }
  return transforms.size();
}

}  // namespace weft::local
