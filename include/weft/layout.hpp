// Where the elements of a rank's local array lie in memory.
#pragma once

#include "weft/index.hpp"

namespace weft {

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
/// With the strides filled in; throws argument_error if two elements would share an address.
[[nodiscard]] layout resolved(const layout& of, const extents& local_shape);
/// Elements from the pointer to just past the last one.
[[nodiscard]] integer span_of(const layout& resolved, const extents& local_shape);

}  // namespace weft
