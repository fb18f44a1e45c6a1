// The passes of one radix: what a plan is made of.
//
// A transform of length n = r1 r2 ... is a sequence of Stockham passes over a buffer of split complex
// vectors. The pass of radix r after passes of product `stride` works with groups = n / (stride * r):
// for p < groups and q < stride it reads q + stride * (p + k * groups), k < r, transforms these,
// multiplies by exp(-2 pi i pk / (groups * r)) and writes q + stride * (r * p + k). So the last pass
// (groups = 1) needs no roots and may work in place.
#pragma once

#include <cstddef>

#include "weft/index.hpp"

namespace weft::local {

/// Where to load lines whose lanes are adjacent: one pointer per element. `next`, unless null, points to
/// as many pointers to memory worth fetching now.
struct row_source {
  const std::byte* const* rows = nullptr;
  const std::byte* const* next = nullptr;
};

/// One radix, for one precision and one instruction set.
template <class T>
struct radix_passes {
  /// Any pass but the last: element k of a butterfly is `in_step` elements after element k-1.
  void (*inner)(const T* in, integer in_step, T* out, integer groups, integer stride, const T* roots);
  /// The last pass.
  void (*last)(const T* in, T* out, integer stride, T scale);
  /// A first pass (stride = 1) that loads, a last pass that stores, and both in one. Streaming goes past
  /// the caches and wants rows aligned to vectors.
  void (*first_from_rows)(const row_source& from, T* out, integer groups, const T* roots);
  void (*last_to_rows)(const T* in, std::byte* const* rows, integer stride, T scale);
  void (*last_streamed)(const T* in, std::byte* const* rows, integer stride, T scale);
  void (*only)(const row_source& from, std::byte* const* rows, T scale);
};

}  // namespace weft::local
