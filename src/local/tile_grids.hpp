// SPDX-License-Identifier: BSD-3-Clause
// The lines that one transform of a tile has, as a grid: few axes of short lines would otherwise be many bundles, each
// of which costs more to find than to transform.
#pragma once

#include <vector>

#include "local/kernel.hpp"
#include "local/tile_plan.hpp"

namespace weft::local {

/// The same for every tile, but for the addresses and for the lanes of a tile's chunk.
struct tile_grid {
  bool possible = false;
  line_grid::side from, to;  ///< strides only
  integer lanes = 0;         ///< 0: as many as the chunk has
  std::vector<line_grid::loop> loops;
  bool apart = false;
  bool along_rows = false;  ///< of the tile, in place
  bool gathered = false;    ///< lanes are groups of lines, one of each position of the carried axis

  /// All strides and hints, no addresses.
  [[nodiscard]] line_grid lines() const { return {from, to, lanes, loops, false, false, false, apart}; }
};

/// Of step `number`, loaded from the tile or through the source map, stored to the tile or through the sink map.
[[nodiscard]] tile_grid grid_of(const tile_plan& plan, std::size_t number, bool from_tile, bool to_tile);

/// Some elements of a tile on their way to the sink, in the order in which they lie there, `lanes` adjacent ones at a
/// time.
struct tile_copy {
  tile_grid grid;
  positions first{};           ///< along the axes of the tile
  std::size_t line_piece = 0;  ///< of the sink, along the line of the last step
  integer offset = 0;          ///< bytes in the tile
};

/// All elements, by the pieces of the sink. Empty for tiles that hold parts of rows, and where pieces are not alike.
[[nodiscard]] std::vector<tile_copy> copies_of(const tile_plan& plan, const access_map& sink);

/// What a tile has at one position along an axis, `bytes` at each place, from the start of the tile.
struct tile_gap {
  integer offset = 0;
  std::vector<line_grid::loop> loops;
  std::size_t bytes = 0;
};

/// Room at the ends of rows that run_bundle() and full grids load, and that must be zeros.
[[nodiscard]] tile_gap row_ends_of(const tile_plan& plan);

/// Dropped positions of a tile that stand for cleared parts of the sink, where copies_of() has all of it.
[[nodiscard]] std::vector<tile_gap> gaps_of(const tile_plan& plan, const std::vector<axis_transform>& transforms);

}  // namespace weft::local
