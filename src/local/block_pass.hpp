// SPDX-License-Identifier: BSD-3-Clause
// Passes whose source or sink is an image in blocks.
#pragma once

#include <vector>

#include "index/image_map.hpp"
#include "local/engine.hpp"

namespace weft::local {

/// `source`, or `sink`, is a plain array into which blocks are gathered first, or from which they are scattered at
/// last, as the transforms see it: in digits, or with positions that are absent. Engines know nothing of that.
struct block_problem : pass_problem {
  std::vector<block_map> gathered, scattered;
  access_map gathered_in, scattered_from;  ///< those arrays, as the blocks see them

  [[nodiscard]] bool in_blocks() const { return !gathered.empty() || !scattered.empty(); }
};

/// A pass by `by`. What it would load from blocks is gathered in a plain array in scratch before, and what it would
/// store in blocks is scattered from such an array behind it; what only moves goes straight, block by block, where one
/// side is a plain array.
[[nodiscard]] std::unique_ptr<pass> make_pass(const engine& by, const block_problem& problem);

}  // namespace weft::local
