// SPDX-License-Identifier: BSD-3-Clause
#include "index/cosine_order.hpp"

#include <algorithm>

#include "weft/error.hpp"

namespace weft::core {

access_map cosine_map(const access_map& whole, const digit_list& digits, const extents& seen, const cosine_order& of,
                      digit_order order) {
  auto map = seen_as(whole, digits, seen, order);
  if (!map || map->cells.size() > 1) throw internal_error("the order of a cosine transform in pieces");
  if (std::ranges::find(seen, 0) != seen.end()) return *std::move(map);
  const auto first = static_cast<std::size_t>(first_digit(digits, of.axis)), second = first + 1;
  placement rising = map->placements.front(), falling = rising;
  for (const auto digit : {first, second}) {
    rising.strides[digit] *= 2;
    falling.strides[digit] *= -2;
  }
  map->placements = {rising, falling};
  // The second half begins in the middle of the digit that leads.
  const auto leading = order == digit_order::first_leads ? first : second;
  const integer half = seen[leading] / 2, offset = map->cells.front().offset;
  const integer stride = whole.placements.front().strides[static_cast<std::size_t>(of.axis)];
  map->pieces[leading] = {{0, 1, half}, {half, 1, seen[leading] - half}};
  map->cells = {{0, offset + of.position(0) * stride}, {1, offset + of.position(of.length / 2) * stride}};
  return *std::move(map);
}

}  // namespace weft::core
