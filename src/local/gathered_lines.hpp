// SPDX-License-Identifier: BSD-3-Clause
// Lines between whose elements those of other lines lie, as of the components of a vector: rows of a few adjacent
// elements, which no vector is full of. Some groups of such lines are taken apart in cache, where kernels find
// contiguous lines, and put together again; each cache line of the array is touched once and not once for each
// component.
#pragma once

#include <cstddef>

#include "local/kernel.hpp"

namespace weft::local {

struct gathered_lines {
  integer components = 1;  ///< adjacent elements, one of each line of a group
  int lanes = 1;           ///< of a bundle
  struct side {
    integer elements = 0;  ///< of a line
    integer bytes = 0;     ///< of an element
    /// Between lines in cache, where many a power of two apart would meet in few places.
    [[nodiscard]] integer distance() const { return (elements * bytes + 63) / 64 * 64 + 64; }
  };
  side in, out;
  integer at_once = 1;  ///< groups that are taken apart before kernels have them

  /// As many groups as `by` needs to be quick: one, if contiguous lines do not wait for each other there and are long,
  /// or so many that all bundles are full.
  void suit(const kernel& by);
  /// Of 64-byte aligned scratch, for the lines.
  [[nodiscard]] std::size_t bytes() const;
  /// All lines of a grid whose lanes are groups.
  void transform(const kernel& by, const line_grid& groups, std::byte* kernel_scratch, std::byte* lines) const;

 private:
  [[nodiscard]] std::size_t bytes_of(const side& s) const;
  [[nodiscard]] bool in_place() const { return in.elements == out.elements && in.bytes == out.bytes; }
};

}  // namespace weft::local
