// SPDX-License-Identifier: BSD-3-Clause
// Where the elements of a local array lie in the images of an exchange.
#pragma once

#include <vector>

#include "index/access_map.hpp"

namespace weft::core {

/// A box of a local array with a map of its own.
struct block_map {
  extents first;   ///< where it begins in the local array
  access_map map;  ///< of its elements; has its shape

  friend bool operator==(const block_map&, const block_map&) = default;
};

/// One map of the whole array, or, where that would have far more cells than there are boxes in messages, the array in
/// blocks. Boxes whose faces do not line up are such a case: every face cuts the whole array, so P of them make up to
/// (2P)^3 cells.
struct image_map {
  image_map() = default;
  image_map(access_map all) : whole(std::move(all)) {}  // NOLINT(google-explicit-constructor): most images are one map

  access_map whole;               ///< without cells if there are blocks
  std::vector<block_map> blocks;  ///< disjoint, and together all of the array; empty: `whole` is the map

  [[nodiscard]] bool in_blocks() const { return !blocks.empty(); }
  /// Whether a consumer has to ask for messages.
  [[nodiscard]] bool has_messages() const;

  friend bool operator==(const image_map&, const image_map&) = default;
};

/// How many cells message_map() of these can have; no more than 2^62 are counted.
[[nodiscard]] std::size_t cell_count(const std::vector<message_box>& messages);

/// A map that has more cells than this for each box takes longer to walk than its array to copy.
inline constexpr integer usual_cells_per_box = 16;

/// Positions of an axis that no block, and no message, reaches over; ascending.
struct axis_stops {
  int axis = 0;
  std::vector<integer> positions;
};

/// The map of a local array whose elements lie in messages. The messages must cover it once. Blocks come in the order
/// of the parts between `stops`.
[[nodiscard]] image_map message_image(const extents& shape, const std::vector<message_box>& messages,
                                      integer cells_per_box = usual_cells_per_box, const axis_stops& stops = {});

}  // namespace weft::core
