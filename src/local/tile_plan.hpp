// SPDX-License-Identifier: BSD-3-Clause
// How a transform pass goes through its array: which axes lie inside a tile, which number the tiles, and
// how the tile itself lies in memory.
#pragma once

#include <vector>

#include "local/cursor.hpp"
#include "local/pass.hpp"

namespace weft::local {

/// One transform of a tile.
struct tile_step {
  int line_axis;
  int lane_axis;                   ///< -1: one lane
  std::vector<lane_group> groups;  ///< along lane_axis, where that is inside the tile
  std::vector<int> inner_axes;     ///< tile axes that are neither line nor lane
  /// By axis: positions where no line is transformed, see axis_transform.
  std::vector<absent_positions> skipped;
  absent_positions absent_in, absent_out;  ///< along the line
  bool joint = false;                      ///< lanes run along lane_axis and the carried axis as one
};

struct tile_plan {
  /// Bundles have at most `most_lanes`. Of an array that is not empty.
  tile_plan(const pass_problem& problem, int most_lanes);

  /// How many tiles are done when all below `position` along the slowest axis is.
  [[nodiscard]] integer tiles_before(integer position) const;
  /// Which chunk tile number `tile` takes.
  [[nodiscard]] integer chunk_of(integer tile) const;
  /// Where the tile begins: 0 along its axes.
  [[nodiscard]] positions positions_of(integer tile) const;

  extents shape;                   ///< of what lies between the transforms
  int lanes;                       ///< of a bundle
  integer element_bytes;           ///< of what lies between the transforms
  bool large;                      ///< more than a cache holds
  bool can_copy = false;           ///< whether the tile may be copied to the sink row by row, and that is of use
  integer chunk_lanes;             ///< of a tile, along chunk_axis
  int fastest = 0;                 ///< axis of the shortest strides, the carried one apart
  int carried = -1;                ///< short axis of even shorter strides, not transformed, that tiles hold whole
  int chunk_axis = -1;             ///< untransformed axis that a tile takes a few positions of
  int slowest = -1;                ///< axis that the tiles run through slowest, if any
  bool chunks_first = false;       ///< all tiles of a chunk before those of the next, not the reverse
  std::vector<int> tile_axes;      ///< the transformed axes and the carried one
  std::vector<int> outer_axes;     ///< those that number the tiles
  std::vector<lane_group> chunks;  ///< along chunk_axis
  std::vector<lane_group> rows;    ///< along fastest, as long as rows of a tile can be copied; unless chunks are
  std::vector<int> sink_buffers;   ///< those that the sink stores to
  integer sink_offsets = 0;        ///< bits of all offsets of bundles in the sink
  std::vector<tile_step> steps;
  integer tiles = 1;

  extents strides;            ///< of the tile, bytes, by array axis; 0 for outer axes
  integer row_lanes = 0;      ///< room along a row, where rows are inside the tile
  integer row_length = 0;     ///< elements read there, along fastest and the carried axis
  std::vector<int> row_axes;  ///< the other axes of the tile
  std::size_t bytes = 0;      ///< of the tile; 0 if none is needed

  /// The maps as the first and the last step see them.
  access_map source, sink;

 private:
  [[nodiscard]] integer chunk_count() const { return chunk_axis < 0 ? 1 : static_cast<integer>(chunks.size()); }
  [[nodiscard]] bool carries(const pass_problem& problem, const std::vector<int>& order) const;
  void plan_axes(const pass_problem& problem);
  [[nodiscard]] integer stored_whole(tile_step& s) const;
  void plan_lanes(const pass_problem& problem);
  void plan_copy(const pass_problem& problem);
  [[nodiscard]] integer widest_chunk() const;
  void plan_chunks(int threads);
  void plan_steps(const pass_problem& problem);
  void plan_memory();
};

}  // namespace weft::local
