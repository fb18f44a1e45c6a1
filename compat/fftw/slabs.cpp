// SPDX-License-Identifier: BSD-3-Clause
#include "slabs.hpp"

#include <algorithm>
#include <numeric>

namespace weft::fftw {

local_block block_of(integer extent, integer block, int rank) {
  const integer start = std::min(extent, rank * block);
  const integer count = std::min(extent, start + block) - start;
  return {count, count == 0 ? 0 : start};
}

std::string slabs::distribution(int ranks) const {
  std::string text = "[";
  for (int a = 0; a < static_cast<int>(shape.size()); ++a) {
    text += a == 0 ? "" : " ";
    text += a == axis ? "c0/" + std::to_string(block) : "*";
  }
  return text + "]@" + std::to_string(ranks);
}

integer slabs::local_extent(int rank) const {
  return block_of(shape[static_cast<std::size_t>(axis)], block, rank).count;
}

layout slabs::local_layout(int rank) const {
  std::vector<std::size_t> in_memory(shape.size());  // slowest first
  std::iota(in_memory.begin(), in_memory.end(), 0);
  std::swap(in_memory[0], in_memory[static_cast<std::size_t>(axis)]);
  layout result;
  result.strides.assign(shape.size(), 0);
  integer stride = 1;
  for (auto k = in_memory.size(); k-- > 0;) {
    const std::size_t a = in_memory[k];
    result.strides[a] = stride;
    const bool row = a + 1 == shape.size() && last_stored > 0;
    const integer local = static_cast<int>(a) == axis ? local_extent(rank) : shape[a];
    stride *= std::max<integer>(1, row ? last_stored : local);
  }
  return result;
}

}  // namespace weft::fftw
