// SPDX-License-Identifier: BSD-3-Clause
// Membership in a short list, such as the axes that a stage names.
#pragma once

#include <algorithm>
#include <vector>

namespace weft::base {

[[nodiscard]] inline bool among(int value, const std::vector<int>& list) {
  return std::ranges::find(list, value) != list.end();
}

}  // namespace weft::base
