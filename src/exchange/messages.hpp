// SPDX-License-Identifier: BSD-3-Clause
// From a pair of distributions to the messages between ranks: every message is a product of short
// lists of strided pieces, one list per axis.
#pragma once

#include <vector>

#include "index/access_map.hpp"
#include "weft/distribution.hpp"

namespace weft::exchange {

/// A common progression of one sender's and one receiver's part of an axis.
struct overlap {
  slice from;         ///< positions in the sender's local array
  slice to;           ///< positions in the receiver's local array
  integer start = 0;  ///< place along the message's own axis

  friend bool operator==(const overlap&, const overlap&) = default;
};

struct message {
  int peer = 0;
  std::vector<std::vector<overlap>> axes;
  extents box;        ///< extents of the message
  integer count = 0;  ///< elements
};

/// The common indices of two parts, in an order that sender and receiver agree on.
[[nodiscard]] std::vector<overlap> overlaps(const axis_part& from, const axis_part& to);

/// What `rank` sends when an array moves from `from` to `to`, by ascending peer, itself included.
[[nodiscard]] std::vector<message> outgoing(const distribution& from, const distribution& to, int rank);
/// What `rank` receives.
[[nodiscard]] std::vector<message> incoming(const distribution& from, const distribution& to, int rank);

/// What all points of a grid with the same coordinates on the axes of one array axis's chain share: their part of
/// that array axis, and their contribution to the rank number.
struct holders {
  int rank_offset = 0;
  axis_part part;
};
/// Of a distribution that is not bricks.
[[nodiscard]] std::vector<holders> holders_along(const distribution& d, int axis);

/// Grid axes on which sender and receiver of a message always have the same coordinate: the exchange
/// falls apart into groups of ranks with equal coordinates there. Empty if the grids differ.
[[nodiscard]] std::vector<int> idle_grid_axes(const distribution& from, const distribution& to);

}  // namespace weft::exchange
