// SPDX-License-Identifier: BSD-3-Clause
#include "local/widened_maps.hpp"

#include <algorithm>

namespace weft::local {

access_map in_units(access_map map, integer count, integer bytes) {
  map.shape.push_back(count);
  map.pieces.push_back({{0, 1, count}});
  for (auto& p : map.placements) p.strides.push_back(bytes);
  return map;
}

access_map padded(const access_map& map, std::size_t axis, integer first, integer extent) {
  access_map result = map;
  result.shape[axis] = extent;
  auto& pieces = result.pieces[axis];
  for (auto& p : pieces) p.first += first;
  const std::size_t there = pieces.size();
  const integer end = first + map.shape[axis];
  if (first > 0) pieces.push_back({0, 1, first});
  if (end < extent) pieces.push_back({end, 1, extent - end});
  // Cells are row-major: those of the axes behind this one stay together.
  std::size_t inner = 1;
  for (std::size_t l = axis + 1; l < map.pieces.size(); ++l) inner *= map.pieces[l].size();
  result.cells.clear();
  for (std::size_t at = 0; at < map.cells.size(); at += there * inner) {
    const auto begin = map.cells.begin() + static_cast<std::ptrdiff_t>(at);
    result.cells.insert(result.cells.end(), begin, begin + static_cast<std::ptrdiff_t>(there * inner));
    result.cells.resize(result.cells.size() + (pieces.size() - there) * inner);
  }
  return result;
}

access_map absent_map(const extents& shape) {
  access_map result;
  result.shape = shape;
  for (const integer n : shape) result.pieces.push_back({{0, 1, n}});
  result.cells.resize(1);
  return result;
}

}  // namespace weft::local
