// SPDX-License-Identifier: BSD-3-Clause
// Where the elements of a rank's local array are loaded from or stored to.
//
// Each axis is cut into pieces (progressions of positions); a combination of pieces, one per axis, is
// a cell, and inside a cell the address is linear. A plain array is one cell. A send buffer has one
// or more cells per message, a node's window one or more per peer, so whoever loads or stores
// through the map packs, unpacks or reads a neighbour's memory without knowing it.
#pragma once

#include <vector>

#include "base/core.hpp"
#include "weft/index.hpp"

namespace weft::core {

/// A buffer and the byte strides inside it, shared by all cells of one message.
struct placement {
  int buffer = 0;    ///< which of the buffers handed to the pass
  int message = -1;  ///< which message must have arrived before a load, -1 for none
  extents strides;   ///< bytes per step of the piece, axis by axis

  friend bool operator==(const placement&, const placement&) = default;
};

struct cell {
  int placement = -1;  ///< -1: nothing there (loads as zero, is not stored)
  integer offset = 0;  ///< bytes from the buffer's start to the cell's first element

  friend bool operator==(const cell&, const cell&) = default;
};

struct access_map {
  extents shape;                           ///< of the local array
  std::vector<std::vector<slice>> pieces;  ///< per axis; together they are 0 .. extent-1
  std::vector<placement> placements;
  std::vector<cell> cells;  ///< row-major over the piece numbers

  friend bool operator==(const access_map&, const access_map&) = default;
};

/// The map of a plain array with the given strides and offset in bytes.
[[nodiscard]] access_map plain_map(const extents& shape, const extents& byte_strides, integer byte_offset = 0,
                                   int buffer = 0);

/// One strided piece of an axis inside one message: positions of the local array, and the place of
/// the first of them along the message's own axis.
struct message_axis_piece {
  slice positions;
  integer start = 0;
};

/// One message as seen from one side.
struct message_box {
  std::vector<std::vector<message_axis_piece>> axes;
  placement where;     ///< its strides are those of the message's own box
  integer offset = 0;  ///< bytes from the buffer's start to the message
};

/// The map of a local array whose elements lie in messages. The messages must cover it once.
[[nodiscard]] access_map message_map(const extents& shape, const std::vector<message_box>& messages);

}  // namespace weft::core
