// SPDX-License-Identifier: BSD-3-Clause
#include "index/cosine_order.hpp"

#include <algorithm>

#include "weft/error.hpp"

namespace weft::core {

access_map cosine_map(const access_map& whole, const digit_list& digits, const extents& seen,
                      const cosine_order& order) {
  auto map = seen_as(whole, digits, seen, digit_order::first_leads);
  if (!map || map->cells.size() > 1) throw internal_error("the order of a cosine transform in pieces");
  if (std::ranges::find(seen, 0) != seen.end()) return *std::move(map);
  const auto axis = static_cast<std::size_t>(first_digit(digits, order.axis));
  const integer half = order.length / 2;
  // The second digit has one value on a rank.
  placement rising = map->placements.front(), falling = rising;
  const integer stride = rising.strides[axis], offset = map->cells.front().offset;
  rising.strides[axis] = 2 * stride;
  falling.strides[axis] = -2 * stride;
  map->placements = {rising, falling};
  map->pieces[axis] = {{0, 1, half}, {half, 1, order.length - half}};
  map->cells = {{0, offset + order.position(0) * stride}, {1, offset + order.position(half) * stride}};
  return *std::move(map);
}

}  // namespace weft::core
