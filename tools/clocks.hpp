// SPDX-License-Identifier: BSD-3-Clause
// Clocks of different nodes start at different moments; this finds out by how much.
#pragma once

#include "ranks.hpp"

namespace weft::tool {

struct clock_reading {
  double ahead = 0;  ///< seconds by which this rank's steady clock is ahead of the root's
  double error = 0;  ///< at most this wrong
};

/// Collective. One rank of each node exchanges messages with the root, takes the root's clock to have read halfway
/// through the shortest round trip what its own did, and tells the others of its node, which have the same clock.
[[nodiscard]] clock_reading compare_clocks(const ranks& all);

}  // namespace weft::tool
