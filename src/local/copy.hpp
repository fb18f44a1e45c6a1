// Strided copies of boxes: what packing, unpacking and self-messages are made of.
#pragma once

#include <cstddef>

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

/// Copies the box; `box` need not be simplified, but is faster so. A null `from` stores zeros. Threads
/// share the outermost axis. With `stream`, what is contiguous on both sides is stored past the caches, and
/// the stores are fenced.
void copy_elements(const box_copy& box, std::size_t element_bytes, const std::byte* from, std::byte* to,
                   int threads = 1, bool stream = false);

}  // namespace weft::local
