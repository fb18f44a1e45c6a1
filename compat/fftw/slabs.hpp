// SPDX-License-Identifier: BSD-3-Clause
// How FFTW-MPI lays out its arrays: one axis in blocks over the ranks. Several arrays are interleaved.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "weft/layout.hpp"

namespace weft::fftw {

[[nodiscard]] constexpr integer rounded_up_quotient(integer a, integer b) { return (a + b - 1) / b; }

/// One side of a transform: `axis` lies in blocks of `block` over the ranks, rank 0's first, and comes first in memory
/// (axes 0 and 1 change places if it is axis 1); the others follow in order.
struct slabs {
  extents shape;  ///< global, of this side
  int axis = 0;
  integer block = 1;
  integer last_stored = 0;  ///< elements in a row of memory; more than the last extent where rows are padded

  /// "[* c0/4 *]@3".
  [[nodiscard]] std::string distribution(int ranks) const;
  [[nodiscard]] integer local_extent(int rank) const;
  /// Where a rank's elements lie, in elements of one array.
  [[nodiscard]] layout local_layout(int rank) const;
};

/// What a rank has of `extent` in blocks of `block`: FFTW's local_n and local_start.
struct local_block {
  integer count = 0, start = 0;
};
[[nodiscard]] local_block block_of(integer extent, integer block, int rank);

}  // namespace weft::fftw
