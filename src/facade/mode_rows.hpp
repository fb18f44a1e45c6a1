// SPDX-License-Identifier: BSD-3-Clause
// A rank's modes row by row along the last axis, in any layout.
#pragma once

#include <array>
#include <span>

#include "weft/array.hpp"

namespace weft::facade {

/// Positions along all axes but the last.
using row_position = std::array<std::size_t, max_axes>;

/// Calls visit(position) for each row of an array of this local shape.
template <class Visit>
void each_row(const extents& shape, const Visit& visit) {
  row_position position{};
  if (volume(shape) == 0) return;
  for (;;) {
    visit(position);
    std::size_t l = shape.size() - 1;
    while (l > 0 && ++position[l - 1] == static_cast<std::size_t>(shape[l - 1])) position[--l] = 0;
    if (l == 0) return;
  }
}

/// Where the rows of one array of a batch lie.
template <class Element>
class mode_row {
 public:
  mode_row() = default;
  mode_row(Element* data, const layout& where, std::size_t axes, integer number, const row_position& position)
      : first_(data + where.offset + (where.strides.size() > axes ? number * where.strides[0] : 0)) {
    const auto strides = std::span(where.strides).last(axes);
    for (std::size_t l = 0; l + 1 < axes; ++l) first_ += static_cast<integer>(position[l]) * strides[l];
    step_ = strides[axes - 1];
  }
  [[nodiscard]] Element& operator[](std::size_t j) const { return first_[static_cast<integer>(j) * step_]; }

 private:
  Element* first_ = nullptr;
  integer step_ = 0;
};

}  // namespace weft::facade
