// SPDX-License-Identifier: BSD-3-Clause
// Access maps of the same memory, seen in another way.
#pragma once

#include "index/access_map.hpp"

namespace weft::local {

/// Each element as `count` units of `bytes` bytes, along an axis more, the last.
[[nodiscard]] access_map in_units(access_map map, integer count, integer bytes);

/// With `extent` positions along `axis`: those that there were begin at `first`, and nothing is at the others.
[[nodiscard]] access_map padded(const access_map& map, std::size_t axis, integer first, integer extent);

/// Nothing anywhere.
[[nodiscard]] access_map absent_map(const extents& shape);

}  // namespace weft::local
