// SPDX-License-Identifier: BSD-3-Clause
// Boxes that tile an array.
#pragma once

#include <string>
#include <vector>

#include "base/core.hpp"
#include "weft/index.hpp"

namespace weft::core {

/// low:high for each axis. In place: there may be thousands of boxes.
void append(std::string& text, const box& b);

/// Throws distribution_error unless every element of the array is in exactly one of the boxes.
void check_tiling(const extents& shape, const std::vector<box>& boxes);

}  // namespace weft::core
