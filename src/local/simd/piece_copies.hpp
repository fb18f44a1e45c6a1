// SPDX-License-Identifier: BSD-3-Clause
// Copies of many short pieces, in as wide vectors as the processor has.
#pragma once

#include <cstddef>

#include "weft/index.hpp"

namespace weft::local {

/// `rows` lists of `count` pieces of `bytes` each, at equal distances on either side.
struct piece_copy {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::size_t bytes = 0;
  integer rows = 0, from_row = 0, to_row = 0;
  integer count = 0, from_step = 0, to_step = 0;
  const std::byte* next = nullptr;  ///< unless null, what is worth fetching meanwhile: with each piece `next_step` more
  integer next_step = 0;
};

void copy_pieces(const piece_copy& what);

}  // namespace weft::local
