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

/// Messages and elements that one rank moves to or from others: those of its node, `ranks_per_node`
/// neighbouring ranks each, and further ones.
struct traffic {
  integer near_messages = 0, near_elements = 0;
  integer far_messages = 0, far_elements = 0;

  friend bool operator==(const traffic&, const traffic&) = default;
};
/// What `rank` sends and receives, counted without making the messages.
[[nodiscard]] traffic outgoing_traffic(const distribution& from, const distribution& to, int rank, int ranks_per_node);
[[nodiscard]] traffic incoming_traffic(const distribution& from, const distribution& to, int rank, int ranks_per_node);

/// Grid axes on which sender and receiver of a message always have the same coordinate: the exchange
/// falls apart into groups of ranks with equal coordinates there. Empty if the grids differ.
[[nodiscard]] std::vector<int> idle_grid_axes(const distribution& from, const distribution& to);

}  // namespace weft::exchange
