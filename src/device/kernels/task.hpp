// SPDX-License-Identifier: BSD-3-Clause
// What a kernel is told: plain structures of numbers and addresses that a device can read.
//
// A sweep takes all lines of an array along one axis: it loads each through the access map of its source, transforms it
// and stores it through that of its sink. Lines are numbered in row-major order of the positions along the other axes,
// and a block works on a group of neighbouring ones, its lanes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/kernels/complex.hpp"

namespace weft::device {

inline constexpr int most_axes = 16;     // besides that of the lines
inline constexpr int most_buffers = 34;  // that a side's access map may number
inline constexpr int most_blocks = 8;    // of lines that are cut
inline constexpr int most_stages = 24;

/// A cell of an access map.
struct cell_place {
  std::int64_t offset;  // bytes from its buffer's start to its first element
  int buffer;           // -1: nothing is there
  int strides;          // the first of its strides in the side's list
};

/// Where a position of an axis is: in which piece, and the how-manieth there.
struct place_in_axis {
  int piece;
  int inner;
};

/// One side of a sweep: an access map in tables.
struct side_tables {
  std::byte* buffers[most_buffers];
  const place_in_axis* places[most_axes];  // by axis and position; null: one piece
  int cell_step[most_axes];                // in cells from one piece to the next
  const place_in_axis* along;              // the same for the axis of the lines
  int along_cell_step;
  int along_pieces;
  int cut;  // whether any other axis has several pieces
  /// Where only the axis of the lines is cut, if any, and into equal blocks, which need not be looked up: how many
  /// these are, or 0, how long, where, and what they all have as strides.
  int blocks;
  int block_length;
  int block_buffer[most_blocks];
  std::int64_t block_offset[most_blocks];
  std::int64_t block_strides[most_axes + 1];
  const cell_place* cells;
  const std::int64_t* strides;  // bytes, of each placement: one for each axis, then that of the lines
};

/// The elements of one line in one piece: the n-th lies at `first + n * stride`; null: nothing is there.
struct line_run {
  std::byte* first;
  std::int64_t stride;
};

/// What is done to the elements of one side, besides.
struct side_operations {
  const void* turns;             // a complex factor for each element of a line; null: none
  std::int64_t conjugated_from;  // this and those behind it are conjugated
};

enum class sweep_kind : int { copy, complex_to_complex, real_to_complex, complex_to_real };

/// Lines that are one of the two digits of longer ones, of n elements: element k of a line at position p along the
/// other digit's axis is element k * step + p of the long line, for what is done to elements there. Where there are
/// roots, it is multiplied, once it is loaded, by the kp-th power of exp(-2 pi i/n): the product of one of the roots
/// that the low bits of kp number and one of those that the others do. Or, where the first stage of kernels for the
/// length alone has butterflies of R elements `count` apart, k = j + i count: of one of the roots for each j and p, and
/// one for each i and p.
struct line_digit {
  int step;  // 0: lines are whole
  int axis;  // of the other digit, among those besides the lines'
  int low_bits;
  const void *low_roots, *high_roots;  // null: none
  const void* stage_roots;             // rows of all p: one for each j, then one for each i from 1 on
};

/// Some of the lines: those of a box of the other axes.
struct line_box {
  std::int64_t lines;  // in it
  std::int64_t first[most_axes];
  std::int64_t count[most_axes];
};

struct sweep {
  sweep_kind kind;
  int axes;  // besides that of the lines
  line_box box;
  int length;        // logical: of the real side of a real transform
  int element;       // a copy: bytes of an element; a transform: of the real numbers that it is made of
  int complex;       // a copy: whether its elements are complex
  int backward;      // the sign of the exponent
  int row;           // threads run along lines first, not across lanes: elements of a line are adjacent in memory
  int lanes;         // of a group: lines, or pairs of lines in a real transform
  int source_plain;  // nothing is done to elements but scaling; a real transform: lines are in one piece
  int sink_plain;
  int load_reused, store_reused;  // what is loaded was stored just now; what is stored is loaded soon
  double scale;
  side_tables source, sink;
  side_operations loading, storing;
  line_digit digit;
  const void* twiddles;  // of all stages but the first, one after the other
  // Only where stages are a loop:
  int work_length;  // of the lines in the work area; not `length` where they are convolved
  int stages;
  int radix[most_stages];
  const void* chirp;  // of a convolution, or null
  const void* filter;
  int work_in_scratch;  // work areas of blocks lie in device memory
  std::byte* scratch;
  std::int64_t block_scratch;  // bytes for each block
};

/// The order of two sweeps from one queue, so that what the first one stores is still in the device's cache when the
/// second one loads it. A chunk is so many of each one's lines, and the second sweep of a chunk waits for the first to
/// be done.
struct sweep_order {
  std::int64_t chunks;                       // none: there is no second sweep
  std::int64_t ahead;                        // chunks that the first sweep is ahead, from 1 to all
  std::int64_t first_lines, second_lines;    // of a chunk
  std::int64_t first_groups, second_groups;  // of a chunk
  unsigned* queue;  // the device's; zeros before: the next ticket, then the groups done of each chunk, then those of
                    // the second sweep
  unsigned* next_queue;      // of the launch after this one, which begins with zeros:
  std::int64_t next_counts;  // so many numbers are made so
  /// If not 0, what lies between the sweeps is a ring of so many chunks, more than the first one is ahead: it waits for
  /// the second to be done with a chunk before it stores the one that takes its place.
  std::int64_t ring;
};

struct chained_sweeps {
  sweep first, second;
  sweep_order order;
};
static_assert(sizeof(chained_sweeps) <= 32764, "kernels take it by value, which CUDA 12.1 and later allow up to there");

}  // namespace weft::device
