// SPDX-License-Identifier: BSD-3-Clause
// The index layer's small values: slices, boxes, grids, chains of splits. Pure values, 64-bit throughout.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] weft {

using integer = std::int64_t;
using extents = std::vector<integer>;

/// Most axes of an array, the batch axis included.
inline constexpr int max_axes = 16;
/// Most axes of a process grid: boxes may be cut along every axis of an array.
inline constexpr int max_grid_axes = max_axes;
/// Most grid axes that chains can name: texts do so by one digit.
inline constexpr int max_named_grid_axes = 10;

/// The arithmetic progression first, first + step, ... with `count` terms; step >= 1.
struct slice {
  integer first = 0;
  integer step = 1;
  integer count = 0;

  [[nodiscard]] integer operator[](integer k) const { return first + step * k; }
  [[nodiscard]] integer last() const { return first + step * (count - 1); }
  [[nodiscard]] bool empty() const { return count == 0; }
  [[nodiscard]] bool contains(integer value) const {
    return count > 0 && value >= first && value <= last() && (value - first) % step == 0;
  }
  /// Where `value`, which must be a term, stands in the progression.
  [[nodiscard]] integer position(integer value) const { return (value - first) / step; }
  /// The terms numbered by `positions`.
  [[nodiscard]] slice at(const slice& positions) const {
    return {(*this)[positions.first], step * positions.step, positions.count};
  }

  friend bool operator==(const slice&, const slice&) = default;
};

/// Equally long progressions of global indices and of the local positions that store them.
struct segment {
  slice indices;
  slice positions;

  friend bool operator==(const segment&, const segment&) = default;
};

/// What one rank owns of one axis. The positions of all segments together are 0 .. count-1, and the
/// global index rises with the position.
using axis_part = std::vector<segment>;

[[nodiscard]] integer count(const axis_part& part);
/// The global index stored at `position`.
[[nodiscard]] integer index_at(const axis_part& part, integer position);

/// Half-open box of global indices, [low, high) along each axis.
struct box {
  extents low;
  extents high;

  [[nodiscard]] integer volume() const;
  [[nodiscard]] bool empty() const { return volume() == 0; }
  /// `index` has one entry per axis.
  [[nodiscard]] bool contains(std::span<const integer> index) const;

  friend bool operator==(const box&, const box&) = default;
};

/// A process grid. Ranks number its points in row-major order: the last axis runs fastest. Axes, ranks and
/// points outside it throw argument_error.
class grid {
 public:
  grid() = default;
  explicit grid(std::vector<int> shape);

  [[nodiscard]] static grid parse(std::string_view text);
  [[nodiscard]] std::string text() const;

  [[nodiscard]] int axes() const { return static_cast<int>(shape_.size()); }
  [[nodiscard]] int operator[](int axis) const;
  [[nodiscard]] int size() const;
  [[nodiscard]] const std::vector<int>& shape() const { return shape_; }
  /// Of a rank below size().
  [[nodiscard]] std::vector<int> coordinates(int rank) const;
  /// Of a point inside the grid.
  [[nodiscard]] int rank(const std::vector<int>& coordinates) const;

  friend bool operator==(const grid&, const grid&) = default;

 private:
  std::vector<int> shape_;
};

/// One way to deal the positions of an axis to the coordinates of one grid axis.
struct split {
  /// Zig-zags have j and n-j on one rank, those about the half j and n-1-j.
  enum class kind : char { block = 'b', cyclic = 'c', zigzag = 'z', half_zigzag = 'h' };
  kind how = kind::block;
  int grid_axis = 0;
  integer block_size = 1;  ///< cyclic only: deal blocks of this many
  int first = 0;           ///< the coordinate that gets the first elements; those after it follow, and then 0

  friend bool operator==(const split&, const split&) = default;
};

/// Splits applied outermost first; empty means "not distributed".
using chain = std::vector<split>;

[[nodiscard]] std::string to_text(const chain& splits);

/// "4x5x6" and back.
[[nodiscard]] std::string to_text(const extents& shape);
[[nodiscard]] extents parse_extents(std::string_view text);

/// Product of the extents; throws argument_error past 2^63.
[[nodiscard]] integer volume(const extents& shape);

namespace detail {

/// Throws argument_error, naming both, unless 0 <= value < limit. `what`: of which kind the value is.
void require_below(const char* what, integer value, integer limit);

}  // namespace detail

}  // namespace weft
