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

}  // namespace weft::exchange
