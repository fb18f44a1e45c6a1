// SPDX-License-Identifier: BSD-3-Clause
// Limits that tests lower.
#pragma once

#include <limits>

#include "index/image_map.hpp"
#include "weft/index.hpp"

namespace weft::planner {

/// What tests and simulations change to reach, on a small machine, code that large ones reach; the same on every rank.
/// Plans and redistributions look here when they are made.
struct test_limits {
  integer count = std::numeric_limits<int>::max();  ///< largest count handed to MPI as an int, 2 or more
  integer cells_per_box = usual_cells_per_box;      ///< beyond which boxes that do not line up are gathered in blocks
  int ranks_per_node = 0;                           ///< at most so many ranks are taken to share memory; 0: all that do
  bool own_devices = false;                         ///< each rank is taken to have a device of its own
  bool boards_of_nodes = true;                      ///< ranks of each of several nodes meet in shared memory
};
[[nodiscard]] test_limits& limits();

}  // namespace weft::planner
