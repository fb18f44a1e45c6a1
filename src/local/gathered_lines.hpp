// SPDX-License-Identifier: BSD-3-Clause
// Lines between whose elements those of other lines lie, as of the components of a vector: rows of a few adjacent
// elements, which no vector is full of. Rows of several such groups of lines are put side by side in cache, so that
// kernels find full ones, and each cache line of the array is touched once and not once for each component.
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
  };
  side in, out;

  /// Groups that are put side by side: with these, all bundles are full.
  [[nodiscard]] integer at_once() const;
  /// Of 64-byte aligned scratch, for the rows.
  [[nodiscard]] std::size_t bytes() const;
  /// All lines of a grid whose lanes are groups.
  void transform(const kernel& by, const line_grid& groups, std::byte* kernel_scratch, std::byte* rows) const;

 private:
  [[nodiscard]] std::size_t bytes_of(const side& s) const;
  [[nodiscard]] bool in_place() const { return in.elements == out.elements && in.bytes == out.bytes; }
};

}  // namespace weft::local
