// SPDX-License-Identifier: BSD-3-Clause
// Radix steps: what the transform of a line is made of.
//
// A transform of length n = r1 r2 ... is a sequence of Stockham steps over a buffer of split complex
// vectors. The step of radix r after steps of product `stride` works with groups = n / (stride * r):
// for p < groups and q < stride it reads q + stride * (p + k * groups), k < r, transforms these,
// multiplies by exp(-2 pi i pk / (groups * r)) and writes q + stride * (r * p + k). So the last step
// (groups = 1) needs no roots and may work in place.
#pragma once

#include <cstddef>

#include "weft/index.hpp"

namespace weft::local {

/// Where to load lines whose lanes are adjacent: one pointer per element.
struct row_source {
  const std::byte* const* rows = nullptr;
  const std::byte* const* next = nullptr;  ///< unless null, as many pointers to rows worth fetching now
  bool fetch_all = true;                   ///< or only the first half: the last step will fetch the rest
  const std::byte* const* sink = nullptr;  ///< unless null, rows to be stored soon that may not be in cache
};

/// Where to store them.
struct row_sink {
  std::byte* const* rows = nullptr;
  const std::byte* const* next = nullptr;  ///< unless null, rows of which the second half is worth fetching
};

/// Lines that are contiguous in memory, `distance` bytes apart. They are transformed block after block.
struct line_batch {
  const std::byte* from = nullptr;
  integer from_distance = 0;
  std::byte* to = nullptr;
  integer to_distance = 0;
  const std::byte* next = nullptr;  ///< unless null, as many lines worth fetching now
  integer next_distance = 0;
  integer count = 0;
  bool backward = false;
  bool stream = false;  ///< past the caches; wants rows aligned to vectors
};

/// Lines side by side, their elements in rows that lie at equal distances.
struct row_batch {
  const std::byte* from = nullptr;
  integer from_stride = 0;
  std::byte* to = nullptr;
  integer to_stride = 0;
  integer lanes = 0;
  bool backward = false;
  bool fetch = false;   ///< rows are not in cache
  bool stream = false;  ///< past the caches; wants rows aligned to vectors
};

/// The numbers of a step; several lines can be transformed at once, their elements in turn: the first step
/// then has their number as its stride. Elements k of a butterfly are `in_distance` apart: stride * groups, or more
/// where the buffer is padded. Each `block_groups` groups of output are followed by `out_padding` elements that are
/// skipped: blocks a multiple of the page size apart would compete for the same few cache lines.
struct step_shape {
  integer groups = 1;
  integer stride = 1;
  integer in_distance = 1;
  integer block_groups = 1;
  integer out_padding = 0;
};

/// One radix, for one precision and one instruction set.
template <class T>
struct radix_steps {
  /// Any step but the last.
  void (*inner)(const T* in, T* out, const step_shape& shape, const T* roots);
  /// The last step; the output is not padded.
  void (*last)(const T* in, T* out, const step_shape& shape, T scale);
  /// A first step that loads one line or lines together, a last step that stores, and both in one. Streaming
  /// goes past the caches and wants rows aligned to vectors.
  void (*first_from_rows)(const row_source& from, T* out, const step_shape& shape, const T* roots);
  void (*first_together)(const row_source& from, T* out, const step_shape& shape, const T* roots);
  void (*last_to_rows)(const T* in, const row_sink& to, const step_shape& shape, T scale);
  void (*last_streamed)(const T* in, const row_sink& to, const step_shape& shape, T scale);
  void (*only)(const row_source& from, const row_sink& to, T scale);
  /// Lines of one step, any number: side by side; or contiguous, also real ones of twice as many elements, forward and
  /// backward. Null where vectors cannot be stored in part, and the latter where lines are too short.
  void (*rows)(const row_batch& lines, T scale);
  using contiguous = void (*)(const line_batch& lines, const T* roots, T scale);
  struct {
    contiguous complex, real, to_real;
  } across;
  /// The only step of lines together, which loads. And whole lines of radix * width elements, see
  /// lines-inl.hpp. Both are null where a radix does not suit such lines.
  void (*only_from_rows)(const row_source& from, T* out, integer together);
  void (*lines)(const line_batch& lines, const T* roots, T scale);
};

}  // namespace weft::local
