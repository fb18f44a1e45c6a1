// SPDX-License-Identifier: BSD-3-Clause
// Ranks of each of several nodes meet by messages, which take time that is simulated; looking at memory takes none. Linked into the
// program.
#include "planner/limits.hpp"

namespace {
[[maybe_unused]] const bool by_messages = [] {
  weft::planner::limits().boards_of_nodes = false;
  return true;
}();
}  // namespace
