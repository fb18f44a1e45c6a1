// SPDX-License-Identifier: BSD-3-Clause
#include "planner/limits.hpp"

namespace weft::planner {

test_limits& limits() {
  static test_limits now;
  return now;
}

}  // namespace weft::planner
