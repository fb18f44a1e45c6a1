// SPDX-License-Identifier: BSD-3-Clause
// Exchanges whose two images are one, in memory that the ranks of a node share: the array in a distribution of
// its own, its home. The producer stores its elements where they are at home, on whatever rank, and the consumer
// loads them from there. At home in its old distribution, the array is pulled by the consumer, in its new one
// pushed by the producer; and where neighbouring exchanges have one home, the pass between stores every element
// where it loaded it. No copy is made and nothing is sent on the node; messages to other nodes, which only an
// array in its old distribution can have, are packed behind it.
#pragma once

#include "exchange/geometry.hpp"

namespace weft::exchange {

/// Homes: the usual one, where it comes from or, if that could be the user's array, where it goes to; the other of
/// the two; and where it is already.
[[nodiscard]] std::vector<int> shared_ways(const exchange_problem& problem);
[[nodiscard]] geometry shared_geometry(const exchange_problem& problem, int way);

/// The ranks that could meet in an element of the array: where it is stored, where it moves, where it is loaded.
[[nodiscard]] std::vector<rank_group> shared_groups(const exchange_problem& problem, const geometry& g);

/// What goes to and comes from other nodes: boxes of this rank's array, and parcels of its image.
struct far_mail {
  std::vector<message_box> stores, loads;
  std::vector<parcel> sends, receives;
  integer end = 0;  ///< of this rank's image, in bytes
};
/// At home where it comes from, with such mail behind it.
[[nodiscard]] geometry shared_geometry(const exchange_problem& problem, far_mail far);
/// Where what lies behind the array of `rank` begins, if that is at home in `home`; and where what follows `bytes`
/// does.
[[nodiscard]] integer end_of_array(const exchange_problem& problem, const distribution& home, int rank);
[[nodiscard]] integer to_cache_line(integer bytes);

}  // namespace weft::exchange
