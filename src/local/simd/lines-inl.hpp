// SPDX-License-Identifier: BSD-3-Clause
// Short contiguous lines of width * rows elements, a block at a time, without a buffer in memory.
//
// Of such a line, element width * r + c is lane c of row r. A transform of length `rows` across the rows,
// a multiplication by exp(-2 pi i ck / n), a transposition and a transform of length `width` give element
// k + rows * l in lane k mod width of a vector: again a row.
//
// A block is one line or, where `rows` is less than `width`, as many as have `width` rows together: the
// lanes of a result then belong to the lines in turn, `rows` to each.
#if defined(WEFT_LOCAL_SIMD_LINES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_LINES_INL_HPP
#undef WEFT_LOCAL_SIMD_LINES_INL_HPP
#else
#define WEFT_LOCAL_SIMD_LINES_INL_HPP
#endif

#include <algorithm>

#include "local/simd/butterflies-inl.hpp"
#include "local/simd/radix_steps.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

template <class T>
constexpr integer lines_per_block(integer rows) {
  return rows < width<T> ? width<T> / rows : 1;
}

/// Whether there are line kernels for so many rows. More than four lines to a block would be stored in too
/// small parts.
template <class T>
constexpr bool suits_lines(integer rows) {
  return width<T> >= 4 && (rows >= width<T> || 2 * rows == width<T> || 4 * rows == width<T>);
}

/// Where tile t of the results k of the transform across rows starts. The last overlaps its predecessor
/// where `width` does not divide.
template <class T>
constexpr integer line_tile_start(integer tile, integer rows) {
  return std::max<integer>(0, std::min(tile * width<T>, rows - width<T>));
}

/// The part of a transposed tile: lane 2c of what was loaded is even(c), lane 2c + 1 is odd(c).
template <class T>
struct transposed_tile {
  static constexpr int half = static_cast<int>(half_width<T>);
  real_vector<T> even[half];
  real_vector<T> odd[half];

  [[nodiscard]] HWY_INLINE real_vector<T> operator[](int c) const { return c < half ? even[c] : odd[c - half]; }
};

/// The second transform of one tile: a(l) becomes the row of elements k + rows * l. `roots` are those of
/// the tile, cosines and sines for each c.
template <class T, int Size>
HWY_INLINE void transform_tile(const transposed_tile<T>& re, const transposed_tile<T>& im, const T* roots,
                               complex_vector<T> (&a)[Size]) {
  static_assert(Size == width<T>);
  const tag<T> d;
  a[0] = {re[0], im[0]};
  static_for<Size - 1>([&](auto k) WEFT_LAMBDA {
    constexpr int c = k + 1;
    const T* root = roots + 2 * Size * c;
    a[c] = rotated<T>({re[c], im[c]}, hn::LoadU(d, root), hn::LoadU(d, root + Size));
  });
  dft<Size, T>(a);
}

/// Rows 0, 1, ... of a line whose rows follow each other at a distance; backward, row -k takes the place
/// of row k, which turns a forward transform into a backward one.
template <class T>
class line_rows {
 public:
  HWY_INLINE line_rows(T* line, integer distance, integer count, bool backward)
      : line_(line), origin_(backward ? line + count * distance : line), step_(backward ? -distance : distance) {}

  [[nodiscard]] HWY_INLINE T* operator[](integer k) const { return k == 0 ? line_ : origin_ + k * step_; }

 private:
  T* line_;
  T* origin_;
  integer step_;
};

/// Where the results of a block go.
template <class T, int Lines>
struct block_sink {
  T* line[Lines];
  bool backward;
  bool stream;
};

/// Stores a result, whose lanes belong to the lines in turn, at `offset` from their starts.
template <bool Stream, class T, int Lines>
HWY_INLINE void store_result(complex_vector<T> value, const block_sink<T, Lines>& to, integer offset) {
  if constexpr (Lines == 1 && Stream) {
    stream_row<T>(value, to.line[0] + offset);
  } else if constexpr (Lines == 1) {
    store_row<T>(value, to.line[0] + offset);
  } else {
    const tag<T> d;
    pair_lanes<T>(value.re, value.im);
    if constexpr (Lines == 2 && Stream) {
      hn::Stream(value.re, d, to.line[0] + offset);
      hn::Stream(value.im, d, to.line[1] + offset);
    } else if constexpr (Lines == 2) {
      hn::StoreU(value.re, d, to.line[0] + offset);
      hn::StoreU(value.im, d, to.line[1] + offset);
    } else {
      const hn::Half<tag<T>> half;
      hn::StoreU(hn::LowerHalf(half, value.re), half, to.line[0] + offset);
      hn::StoreU(hn::UpperHalf(half, value.re), half, to.line[1] + offset);
      hn::StoreU(hn::LowerHalf(half, value.im), half, to.line[2] + offset);
      hn::StoreU(hn::UpperHalf(half, value.im), half, to.line[3] + offset);
    }
  }
}

/// Offsets of the results of a tile from the start of a line of `rows` rows; backward, -l takes the place of l.
template <class T>
HWY_INLINE integer result_offset(integer tile, integer l, integer rows, bool backward) {
  return 2 * (line_tile_start<T>(tile, rows) + rows * (backward && l != 0 ? width<T> - l : l));
}

template <class T, int Rows, int Size, int Lines>
HWY_INLINE void store_tile(const complex_vector<T> (&a)[Size], T scale, integer tile, const block_sink<T, Lines>& to) {
  const auto factor = hn::Set(tag<T>(), scale);
  const auto offset = [&](integer l) WEFT_LAMBDA { return result_offset<T>(tile, l, Rows, to.backward); };
  if (to.stream) {
    static_for<Size>([&](auto l) WEFT_LAMBDA { store_result<true, T>(scaled<T>(a[l], factor), to, offset(l)); });
  } else {
    static_for<Size>([&](auto l) WEFT_LAMBDA { store_result<false, T>(scaled<T>(a[l], factor), to, offset(l)); });
  }
}

/// What the transform across rows leaves to the transforms across lanes: in registers if it is one tile,
/// else on the stack. Either way a block is loaded before it is stored.
template <class T, int Rows, int Count, int Lines>
HWY_INLINE void finish_block(const complex_vector<T> (&rows)[Count], const T* roots, T scale,
                             const block_sink<T, Lines>& to) {
  constexpr int size = static_cast<int>(width<T>);
  constexpr int half = size / 2;
  transposed_tile<T> re;
  transposed_tile<T> im;
  complex_vector<T> a[size];
  if constexpr (Count == size) {
    static_for<half>([&](auto k) WEFT_LAMBDA {
      re.even[k] = rows[k].re;
      re.odd[k] = rows[k + half].re;
      im.even[k] = rows[k].im;
      im.odd[k] = rows[k + half].im;
    });
    transpose<T>(re.even, re.odd);
    transpose<T>(im.even, im.odd);
    transform_tile<T>(re, im, roots, a);
    store_tile<T, Rows>(a, scale, 0, to);
  } else {
    HWY_ALIGN T buffer[static_cast<std::size_t>(2 * size * Rows)];
    static_for<Rows>([&](auto k) WEFT_LAMBDA { store_element<T>(rows[k], element<T>(buffer, k)); });
    for (integer t = 0; t * size < Rows; ++t, roots += 2 * size * size) {
      const T* from = element<T>(buffer, line_tile_start<T>(t, Rows));
      load_transposed<T>([&](integer k) WEFT_LAMBDA { return element(from, k); }, re.even, re.odd);
      load_transposed<T>([&](integer k) WEFT_LAMBDA { return element(from, k) + size; }, im.even, im.odd);
      transform_tile<T>(re, im, roots, a);
      store_tile<T, Rows>(a, scale, t, to);
    }
  }
}

/// A block that lacks lines repeats the last one: stored twice, it is the same.
template <class T, int Rows>
HWY_NOINLINE void line_step(const line_batch& lines, const T* roots, T scale) {
  constexpr integer row_bytes = 2 * width<T> * static_cast<integer>(sizeof(T));
  constexpr int block = static_cast<int>(lines_per_block<T>(Rows));
  block_sink<T, block> to{{}, lines.backward, lines.stream};
  for (integer first = 0; first < lines.count; first += block) {
    complex_vector<T> rows[block * Rows];
    static_for<block>([&](auto i) WEFT_LAMBDA {
      const integer lane = block == 1 ? first : std::min<integer>(first + i, lines.count - 1);
      const line_rows<const T> from(reinterpret_cast<const T*>(lines.from + lane * lines.from_distance), 2 * width<T>,
                                    Rows, lines.backward);
      to.line[i] = reinterpret_cast<T*>(lines.to + lane * lines.to_distance);
      complex_vector<T> line[Rows];
      static_for<Rows>([&](auto k) WEFT_LAMBDA { line[k] = load_row<T>(from[k]); });
      // In two halves: more misses than a core has room for would hold up its next loads, also those that hit.
      const std::byte* ahead = lines.next == nullptr ? nullptr : lines.next + lane * lines.next_distance;
      const auto fetch_half = [&](integer half) WEFT_LAMBDA {
        constexpr int cache_lines = static_cast<int>((Rows * row_bytes / 64 + 1) / 2);
        if (ahead == nullptr) return;
        static_for<cache_lines>([&](auto k)
                                    WEFT_LAMBDA { __builtin_prefetch(ahead + 64 * (half * cache_lines + k), 0, 2); });
      };
      fetch_half(0);
      dft<Rows, T>(line);
      fetch_half(1);
      static_for<Rows>([&](auto k) WEFT_LAMBDA { rows[i * Rows + k] = line[k]; });
    });
    finish_block<T, Rows>(rows, roots, scale, to);
  }
}

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
