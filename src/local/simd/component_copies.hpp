// SPDX-License-Identifier: BSD-3-Clause
// Lines whose elements take turns in memory, as those of the components of a vector do: taken apart into lines of their
// own, and put together again. In registers, so that no element is loaded or stored alone.
#pragma once

#include <cstddef>

#include "weft/index.hpp"

namespace weft::local {

struct component_copy {
  integer components = 1;
  integer elements = 0;   ///< of each line
  std::size_t bytes = 0;  ///< of an element
  integer stride = 0;     ///< bytes between elements of a line while components lie side by side
  integer apart = 0;      ///< bytes between lines that are apart
};

/// `ahead`: how far away lies what will be loaded next, to be fetched meanwhile; 0 if nothing will.
void take_apart(const component_copy& what, const std::byte* from, std::byte* to, integer ahead);
void put_together(const component_copy& what, const std::byte* from, std::byte* to);

}  // namespace weft::local
