// SPDX-License-Identifier: BSD-3-Clause
// Access maps of the same memory, seen in another way.
#pragma once

#include <optional>

#include "index/access_map.hpp"

namespace weft::local {

/// Each element as `count` units of `bytes` bytes, along an axis more, the last.
[[nodiscard]] access_map in_units(access_map map, integer count, integer bytes);

/// With `extent` positions along `axis`: those that there were begin at `first`, and nothing is at the others.
[[nodiscard]] access_map padded(const access_map& map, std::size_t axis, integer first, integer extent);

/// With `axis` as two, digits of its positions, of which the second one, of `low` positions, is the less significant.
/// None where the axis is cut in a way that neither follows: neither into runs nor into equal parts dealt out by turns
/// that the second digit has a whole number of.
[[nodiscard]] std::optional<access_map> in_digits(const access_map& map, std::size_t axis, integer low);

/// With `axis` and the next one in the other order.
[[nodiscard]] access_map with_next_first(const access_map& map, std::size_t axis);

/// Nothing anywhere.
[[nodiscard]] access_map absent_map(const extents& shape);

}  // namespace weft::local
