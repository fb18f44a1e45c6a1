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

namespace {

/// Where both digits of an axis are cut so that each combination of pieces is of one piece of the axis; `step`: that of
/// all these pieces, of which the less significant digit has a whole number.
struct digit_pieces {
  std::vector<slice> high, low;
  integer step = 1;
};

std::vector<slice> between(std::vector<integer> cuts, integer end) {
  std::ranges::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<slice> pieces;
  for (std::size_t i = 0; i < cuts.size() && cuts[i] < end; ++i) {
    pieces.push_back({cuts[i], 1, (i + 1 < cuts.size() ? std::min(end, cuts[i + 1]) : end) - cuts[i]});
  }
  return pieces;
}

std::optional<digit_pieces> cut_digits(const std::vector<slice>& pieces, integer extent, integer low) {
  if (std::ranges::all_of(pieces, [](const slice& p) { return p.count < 2 || p.step == 1; })) {
    std::vector<integer> rows{0}, inside{0};
    for (const slice& p : pieces) {
      rows.push_back(p.first / low);
      if (p.first % low == 0) continue;
      rows.push_back(p.first / low + 1);  // the row that has the end of a piece in it is cut off
      inside.push_back(p.first % low);
    }
    return digit_pieces{between(rows, extent / low), between(inside, low)};
  }
  digit_pieces all{{{0, 1, extent / low}}, {}, pieces.front().step};
  for (const slice& p : pieces) {
    if (p.step != all.step || low % all.step != 0 || p.first >= all.step || p.count != extent / all.step) return {};
    all.low.push_back({p.first, all.step, low / all.step});
  }
  return all;
}

}  // namespace

std::optional<access_map> in_digits(const access_map& map, std::size_t axis, integer low) {
  const auto& pieces = map.pieces[axis];
  const auto cut = cut_digits(pieces, map.shape[axis], low);
  if (!cut) return std::nullopt;
  access_map result = map;
  const auto at = static_cast<std::ptrdiff_t>(axis);
  result.shape[axis] = low;
  result.shape.insert(result.shape.begin() + at, map.shape[axis] / low);
  result.pieces[axis] = cut->low;
  result.pieces.insert(result.pieces.begin() + at, cut->high);
  for (auto& p : result.placements) p.strides.insert(p.strides.begin() + at, p.strides[axis] * (low / cut->step));
  std::size_t inner = 1;
  for (std::size_t l = axis + 1; l < map.pieces.size(); ++l) inner *= map.pieces[l].size();
  result.cells.clear();
  for (std::size_t outer = 0; outer < map.cells.size(); outer += pieces.size() * inner) {
    for (const slice& h : cut->high) {
      for (const slice& l : cut->low) {
        const integer first = h.first * low + l.first;
        const auto of = std::ranges::find_if(pieces, [&](const slice& p) { return p.contains(first); });
        const auto begin = outer + static_cast<std::size_t>(of - pieces.begin()) * inner;
        for (std::size_t i = begin; i < begin + inner; ++i) {
          cell c = map.cells[i];
          if (c.placement >= 0) {
            c.offset += of->position(first) * map.placements[static_cast<std::size_t>(c.placement)].strides[axis];
          }
          result.cells.push_back(c);
        }
      }
    }
  }
  return result;
}

access_map with_next_first(const access_map& map, std::size_t axis) {
  access_map result = map;
  std::swap(result.shape[axis], result.shape[axis + 1]);
  std::swap(result.pieces[axis], result.pieces[axis + 1]);
  for (auto& p : result.placements) std::swap(p.strides[axis], p.strides[axis + 1]);
  std::size_t inner = 1;
  for (std::size_t l = axis + 2; l < map.pieces.size(); ++l) inner *= map.pieces[l].size();
  const std::size_t rows = map.pieces[axis].size(), columns = map.pieces[axis + 1].size();
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    const std::size_t outer = i / (rows * columns * inner), row = i / (columns * inner) % rows,
                      column = i / inner % columns;
    result.cells[((outer * columns + column) * rows + row) * inner + i % inner] = map.cells[i];
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
