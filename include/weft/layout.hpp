// SPDX-License-Identifier: BSD-3-Clause
// Where the elements of a rank's local array lie in memory.
#pragma once

#include "weft/index.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Element (i0, i1, ...) lies `offset + i0*strides[0] + i1*strides[1] + ...` elements past the pointer.
/// No strides means compact, row-major. Larger strides leave room for ghost cells, which Weft never
/// touches.
struct layout {
  extents strides = {};
  integer offset = 0;

  [[nodiscard]] bool is_default() const { return strides.empty() && offset == 0; }
  friend bool operator==(const layout&, const layout&) = default;
};

[[nodiscard]] layout row_major(const extents& local_shape);
/// A local array inside one that is `before` and `after` elements larger on each axis.
[[nodiscard]] layout ghosted(const extents& local_shape, const extents& before, const extents& after);
/// With the strides filled in; throws argument_error if two elements would share an address or lie past 2^63.
[[nodiscard]] layout resolved(const layout& of, const extents& local_shape);
/// The same for `batch` such arrays. More than one have one stride more, in front, which is the distance between
/// them. Where `of` has none, each starts right behind the last element of the one before; if they are `interleaved`,
/// `of` is that of cells with an element of each instead, and the distance is 1.
[[nodiscard]] layout resolved(const layout& of, const extents& local_shape, integer batch, bool interleaved = false);
/// Elements from the pointer to just past the last one.
[[nodiscard]] integer span_of(const layout& resolved, const extents& local_shape);
/// Whether two resolved layouts give every element the same address: the strides of axes with one element, and
/// all of an array without elements, do not matter. Both may have the stride of a batch in front.
[[nodiscard]] bool same_addresses(const layout& a, const layout& b, const extents& local_shape);
/// "strides 42x14x1, offset 57".
[[nodiscard]] std::string to_text(const layout& of);

}  // namespace weft
