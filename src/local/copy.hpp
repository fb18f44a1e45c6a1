// SPDX-License-Identifier: BSD-3-Clause
// Strided copies of boxes: what packing, unpacking and self-messages are made of.
#pragma once

#include <cstddef>

#include "local/line_stream.hpp"
#include "weft/index.hpp"

namespace weft::local {

/// A box of elements in source and destination memory: counts and byte strides per axis.
struct box_copy {
  extents counts;
  extents from_strides;
  extents to_strides;

  /// Joins axes that are contiguous on both sides and puts the axis of the shortest strides last.
  void simplify(std::size_t element_bytes);
};

/// Part `number` of `count` equal ones.
struct share {
  int number = 0;
  int count = 1;
};

/// Copies a share of the box along its outermost axis; `box` need not be simplified, but is faster so. A null `from`
/// stores zeros. What is contiguous on both sides goes through `past`, if given: past the caches, so that the caller
/// flushes it and fences before telling anyone.
void copy_elements(const box_copy& box, std::size_t element_bytes, const std::byte* from, std::byte* to,
                   share part = {}, line_stream* past = nullptr);

}  // namespace weft::local
