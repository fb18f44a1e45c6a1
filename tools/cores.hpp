// SPDX-License-Identifier: BSD-3-Clause
// Which cores the ranks may run on: mpirun, taskset and containers leave them fewer than the node has.
#pragma once

#include "ranks.hpp"

namespace weft::tool {

/// Physical cores of this node, not hardware threads.
struct cores {
  int mine = 1;      ///< that this process may run on
  int of_ranks = 1;  ///< that at least one of the node's ranks may run on
};

/// Collective.
[[nodiscard]] cores usable_cores(const ranks& all);

}  // namespace weft::tool
