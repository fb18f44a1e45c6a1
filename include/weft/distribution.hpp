// SPDX-License-Identifier: BSD-3-Clause
// How a global array lies on the ranks: chains of splits over a process grid, or one box per rank.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/index.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Which rank owns which indices of an array of a given shape. A regular value: it copies, compares,
/// prints and parses. Every element is owned exactly once: ranks beyond the grid, and ranks with a
/// non-zero coordinate on a grid axis that no chain names, own nothing. Axes, indices and ranks that cannot be
/// throw argument_error.
class distribution {
 public:
  distribution() = default;
  /// One chain per axis of the array; each grid axis may be used once.
  distribution(extents shape, weft::grid on, std::vector<chain> chains);
  /// One box per rank, empty ones allowed; throws distribution_error unless they tile the array.
  [[nodiscard]] static distribution bricks(extents shape, std::vector<box> boxes);
  /// Balanced boxes on a grid with one axis per array axis, as `bricks`.
  [[nodiscard]] static distribution bricks(extents shape, const weft::grid& on);
  /// "[b0 * c1]" on `on`, "[b0 * c1]@2x3", or "bricks{0:4,0:5; 4:8,0:5}".
  [[nodiscard]] static distribution parse(std::string_view text, extents shape, const weft::grid& on);

  [[nodiscard]] const extents& shape() const { return shape_; }
  [[nodiscard]] int axes() const { return static_cast<int>(shape_.size()); }
  /// Ranks that may own something; any rank at or past this owns nothing.
  [[nodiscard]] int ranks() const;
  [[nodiscard]] bool is_bricks() const { return boxes_ != nullptr; }
  [[nodiscard]] const weft::grid& on() const { return grid_; }
  [[nodiscard]] const std::vector<chain>& chains() const { return chains_; }
  /// One for each rank; none unless is_bricks().
  [[nodiscard]] const std::vector<box>& boxes() const;
  /// Whether every rank that owns anything owns the whole of `axis`.
  [[nodiscard]] bool is_local(int axis) const;

  /// What `rank` owns of `axis`.
  [[nodiscard]] axis_part part(int rank, int axis) const;
  [[nodiscard]] extents local_shape(int rank) const;
  [[nodiscard]] integer local_size(int rank) const;
  /// The rank that has the element of a global index, which has one entry per axis.
  [[nodiscard]] int owner(std::span<const integer> index) const;
  [[nodiscard]] int owner(std::initializer_list<integer> index) const;

  /// The same grid and chains for another shape (the halved side of a real transform). Bricks are scaled along the
  /// changed axes, so that every rank keeps its share.
  [[nodiscard]] distribution with_shape(const extents& shape) const;

  /// "[b0 * c1]", without the grid; for bricks the same as text().
  [[nodiscard]] std::string chains_text() const;
  /// "[b0 * c1]@2x3" or "bricks{...}"; parses back.
  [[nodiscard]] std::string text() const;

  friend bool operator==(const distribution& a, const distribution& b);

 private:
  extents shape_;
  weft::grid grid_;
  std::vector<chain> chains_;
  /// Shared by copies: there is one box for each of thousands of ranks, and planning copies distributions a lot.
  std::shared_ptr<const std::vector<box>> boxes_;
};

/// Whether the two give every rank below `ranks` the same indices, however they are written.
[[nodiscard]] bool same_ownership(const distribution& a, const distribution& b, int ranks);

}  // namespace weft
