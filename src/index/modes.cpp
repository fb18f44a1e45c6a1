// SPDX-License-Identifier: BSD-3-Clause
#include "index/modes.hpp"

#include <algorithm>

namespace weft::core {

namespace {

/// Some terms of a piece of a map along one axis, as a piece of another map; `from` is -1 for nothing at all.
struct new_piece {
  slice positions;
  int from = -1;
  integer terms_before = 0;
};

/// The terms of `piece` from `begin` on and below `end`, if there are any.
slice within(const slice& piece, integer begin, integer end) {
  const auto terms_below = [&](integer limit) {
    return limit <= piece.first ? 0 : std::min(piece.count, (limit - piece.first + piece.step - 1) / piece.step);
  };
  const integer before = terms_below(begin);
  return {piece[before], piece.step, terms_below(end) - before};
}

/// The same array, cut along `axis` as `pieces` say.
access_map recut(const access_map& array, int axis, integer extent, const std::vector<new_piece>& pieces) {
  const auto a = static_cast<std::size_t>(axis);
  access_map map = array;
  map.shape[a] = extent;
  map.pieces[a].clear();
  for (const auto& p : pieces) map.pieces[a].push_back(p.positions);
  const auto count = [](const access_map& of, std::size_t l) { return of.pieces[l].size(); };
  std::size_t outer = 1, inner = 1;
  for (std::size_t l = 0; l < array.pieces.size(); ++l) (l < a ? outer : inner) *= l == a ? 1 : count(array, l);
  map.cells.assign(outer * pieces.size() * inner, {});
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      if (pieces[p].from < 0) continue;
      for (std::size_t i = 0; i < inner; ++i) {
        cell here = array.cells[(o * count(array, a) + static_cast<std::size_t>(pieces[p].from)) * inner + i];
        if (here.placement >= 0) {
          here.offset += pieces[p].terms_before * array.placements[static_cast<std::size_t>(here.placement)].strides[a];
        }
        map.cells[(o * pieces.size() + p) * inner + i] = here;
      }
    }
  }
  return map;
}

/// Adds the part of every piece along `axis` that lies from `begin` to `end`, moved by `shift`.
void add_parts(std::vector<new_piece>& pieces, const access_map& array, int axis, integer begin, integer end,
               integer shift) {
  const auto& old = array.pieces[static_cast<std::size_t>(axis)];
  for (std::size_t p = 0; p < old.size(); ++p) {
    slice part = within(old[p], begin, end);
    if (part.count <= 0) continue;
    const integer before = (part.first - old[p].first) / old[p].step;
    part.first += shift;
    pieces.push_back({part, static_cast<int>(p), before});
  }
}

/// Lines are whole on the ranks that own anything; the others have none, also not of what was left out.
bool has_nothing_along(const access_map& array, int axis) { return array.shape[static_cast<std::size_t>(axis)] == 0; }

}  // namespace

kept_modes kept_of(line_kind kind, integer length, integer modes, bool in_real_transform) {
  const line_row& row = row_of(kind);
  const integer whole = row.out_extent(length);
  if (modes >= length) return {whole, whole, 0, false};
  // Cosines and sines are ordered by frequency.
  if (!is_fourier(kind)) return {whole, modes, 0, false};
  const bool gap = in_real_transform && modes % 2 == 0;
  if (row.in != row.out) return {whole, gap ? modes / 2 : modes / 2 + 1, 0, gap};
  return {whole, (modes + 1) / 2, gap ? modes / 2 - 1 : modes / 2, gap};
}

kept_modes kept_of(integer length, const box& part, int axis) {
  if (part.low.empty()) return {length, length, 0, false};
  const auto l = static_cast<std::size_t>(axis);
  return {length, part.high[l] - part.low[l], 0, false, part.low[l]};
}

absent_positions absent_of(const kept_modes& kept) {
  const integer behind = kept.first + kept.low;
  return {{0, 1, kept.first}, {behind, 1, kept.length - behind - kept.high}};
}

std::vector<kept_modes> kept_of(const extents& shape, const std::vector<line_kind>& kinds, const extents& modes) {
  const bool halved = real_axis(kinds) >= 0;
  std::vector<kept_modes> kept;
  for (std::size_t l = 0; l < shape.size(); ++l) {
    kept.push_back(kept_of(kinds[l], shape[l], modes.empty() ? shape[l] : modes[l], halved));
  }
  return kept;
}

extents extents_after(const extents& shape, const std::vector<line_kind>& kinds, const extents& modes,
                      const box& part) {
  if (!part.low.empty()) return extents_of(shape, part);
  extents after;
  for (const auto& kept : kept_of(shape, kinds, modes)) after.push_back(kept.extent());
  return after;
}

extents extents_of(const extents& shape, const box& part) {
  extents inside = shape;
  for (std::size_t l = 0; l < part.low.size(); ++l) inside[l] = part.high[l] - part.low[l];
  return inside;
}

access_map spread(const access_map& array, int axis, const kept_modes& kept) {
  if (has_nothing_along(array, axis)) return array;
  const integer extent = kept.extent(), gap = kept.gap ? 1 : 0;
  const integer behind = kept.first + kept.low;
  std::vector<new_piece> pieces;
  if (kept.first > 0) pieces.push_back({{0, 1, kept.first}});
  add_parts(pieces, array, axis, 0, kept.low, kept.first);
  if (behind + kept.high < kept.length) pieces.push_back({{behind, 1, kept.length - behind - kept.high}});
  add_parts(pieces, array, axis, kept.low + gap, extent, kept.length - extent);
  return recut(array, axis, kept.length, pieces);
}

access_map gap_of(const access_map& array, int axis, const kept_modes& kept) {
  if (has_nothing_along(array, axis)) return array;
  std::vector<new_piece> pieces;
  add_parts(pieces, array, axis, kept.low, kept.low + 1, -kept.low);
  return recut(array, axis, 1, pieces);
}

}  // namespace weft::core
