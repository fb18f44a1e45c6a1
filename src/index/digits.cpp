// SPDX-License-Identifier: BSD-3-Clause
#include "index/digits.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace weft::core {

std::string to_text(const digit_list& digits) {
  std::vector<std::string> axes;
  for (const auto& sizes : digits) axes.push_back(to_text(sizes));
  return base::join(axes, ",");
}

digit_list parse_digits(std::string_view text) {
  digit_list digits;
  if (text.empty()) return digits;
  for (const auto axis : base::split_text(text, ',')) digits.push_back(parse_extents(axis));
  return digits;
}

extents shape_of(const digit_list& digits) {
  extents shape;
  for (const auto& sizes : digits) shape.insert(shape.end(), sizes.begin(), sizes.end());
  return shape;
}

int first_digit(const digit_list& digits, int axis) {
  if (digits.empty()) return axis;
  std::size_t before = 0;
  for (int l = 0; l < axis; ++l) before += digits[static_cast<std::size_t>(l)].size();
  return static_cast<int>(before);
}

digit_place place_of_digit(const digit_list& digits, int seen_axis) {
  digit_place place{0, seen_axis};
  if (digits.empty()) return {seen_axis, 0};
  while (place.digit >= static_cast<int>(digits[static_cast<std::size_t>(place.axis)].size())) {
    place.digit -= static_cast<int>(digits[static_cast<std::size_t>(place.axis++)].size());
  }
  return place;
}

bool has_later_digit(const digit_list& digits, int seen_axis) {
  if (digits.empty()) return false;
  const auto [axis, digit] = place_of_digit(digits, seen_axis);
  return digit + 1 < static_cast<int>(digits[static_cast<std::size_t>(axis)].size());
}

std::optional<access_map> seen_as(const access_map& whole, const digit_list& digits, const extents& seen,
                                  digit_order order) {
  if (digits.empty()) return whole;
  if (std::ranges::find(seen, 0) != seen.end()) return plain_map(seen, extents(seen.size(), 0));
  access_map map;
  map.shape = seen;
  map.cells = whole.cells;
  map.placements = whole.placements;
  for (auto& p : map.placements) p.strides.clear();
  auto next = seen.begin();
  for (std::size_t l = 0; l < digits.size(); ++l) {
    const extents here(next, next + static_cast<std::ptrdiff_t>(digits[l].size()));
    next += static_cast<std::ptrdiff_t>(digits[l].size());
    // The digits that tell elements apart on this rank; with one of them, or none, its pieces are the axis's.
    const auto many = std::ranges::count_if(here, [](integer n) { return n != 1; });
    const bool one_piece = whole.pieces[l] == std::vector<slice>{{0, 1, whole.shape[l]}};
    if (many > 1 && !one_piece) return std::nullopt;
    const auto carrier = std::ranges::find_if(here, [](integer n) { return n != 1; });
    const auto carries = carrier == here.end() ? 0 : carrier - here.begin();
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(here.size()); ++i) {
      const integer n = here[static_cast<std::size_t>(i)];
      integer weight = 1;
      for (std::ptrdiff_t j = 0; j < static_cast<std::ptrdiff_t>(here.size()); ++j) {
        const bool less_significant = order == digit_order::first_leads ? j > i : j < i;
        if (less_significant) weight *= here[static_cast<std::size_t>(j)];
      }
      const bool takes_pieces = many <= 1 && i == carries;
      map.pieces.push_back(takes_pieces ? whole.pieces[l] : std::vector<slice>{{0, 1, n}});
      for (std::size_t p = 0; p < map.placements.size(); ++p) {
        const integer stride = whole.placements[p].strides[l];
        map.placements[p].strides.push_back(n == 1 ? stride : stride * weight);
      }
    }
  }
  return map;
}

}  // namespace weft::core
