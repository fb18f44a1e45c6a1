// Short contiguous lines of width * rows elements, one at a time, without a buffer in memory.
//
// Of such a line, element width * r + c is lane c of row r. A transform of length `rows` across the rows,
// a multiplication by exp(-2 pi i ck / n), a transposition and a transform of length `width` give element
// k + rows * l in lane k mod width of a vector: again a row.
#if defined(WEFT_LOCAL_SIMD_LINES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_LINES_INL_HPP
#undef WEFT_LOCAL_SIMD_LINES_INL_HPP
#else
#define WEFT_LOCAL_SIMD_LINES_INL_HPP
#endif

#include <algorithm>

#include "local/simd/butterflies-inl.hpp"
#include "local/simd/passes.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

/// Where tile t of the results k of the transform across rows starts. The last overlaps its predecessor
/// where `width` does not divide.
template <class T>
constexpr integer line_tile_start(integer tile, integer rows) {
  return std::min(tile * width<T>, rows - width<T>);
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

template <class T, int Size, bool Stream>
HWY_INLINE void store_tile(const complex_vector<T> (&a)[Size], T scale, const line_rows<T>& to) {
  const auto factor = hn::Set(tag<T>(), scale);
  static_for<Size>([&](auto l) WEFT_LAMBDA {
    if constexpr (Stream) {
      stream_row<T>(scaled<T>(a[l], factor), to[l]);
    } else {
      store_row<T>(scaled<T>(a[l], factor), to[l]);
    }
  });
}

/// What the transform across rows leaves to the transforms across lanes: in registers if it is one tile,
/// else on the stack. Either way a line is loaded before it is stored.
template <class T, int Rows, bool Stream>
HWY_INLINE void finish_line(const complex_vector<T> (&rows)[Rows], const T* roots, T scale, T* line, bool backward) {
  constexpr int size = static_cast<int>(width<T>);
  constexpr int half = size / 2;
  transposed_tile<T> re;
  transposed_tile<T> im;
  complex_vector<T> a[size];
  if constexpr (Rows == size) {
    static_for<half>([&](auto k) WEFT_LAMBDA {
      re.even[k] = rows[k].re;
      re.odd[k] = rows[k + half].re;
      im.even[k] = rows[k].im;
      im.odd[k] = rows[k + half].im;
    });
    transpose<T>(re.even, re.odd);
    transpose<T>(im.even, im.odd);
    transform_tile<T>(re, im, roots, a);
    store_tile<T, size, Stream>(a, scale, {line, 2 * Rows, size, backward});
  } else {
    HWY_ALIGN T buffer[static_cast<std::size_t>(2 * size * Rows)];
    static_for<Rows>([&](auto k) WEFT_LAMBDA { store_element<T>(rows[k], element<T>(buffer, k)); });
    for (integer t = 0; t * size < Rows; ++t, roots += 2 * size * size) {
      const integer start = line_tile_start<T>(t, Rows);
      const T* from = element<T>(buffer, start);
      load_transposed<T>([&](integer k) WEFT_LAMBDA { return element(from, k); }, re.even, re.odd);
      load_transposed<T>([&](integer k) WEFT_LAMBDA { return element(from, k) + size; }, im.even, im.odd);
      transform_tile<T>(re, im, roots, a);
      store_tile<T, size, Stream>(a, scale, {line + 2 * start, 2 * Rows, size, backward});
    }
  }
}

template <class T, int Rows, bool Stream>
HWY_NOINLINE void line_pass(const line_batch& lines, const T* roots, T scale) {
  constexpr integer row_bytes = 2 * width<T> * static_cast<integer>(sizeof(T));
  for (integer lane = 0; lane < lines.count; ++lane) {
    const line_rows<const T> from(reinterpret_cast<const T*>(lines.from + lane * lines.from_distance), 2 * width<T>,
                                  Rows, lines.backward);
    complex_vector<T> rows[Rows];
    static_for<Rows>([&](auto k) WEFT_LAMBDA { rows[k] = load_row<T>(from[k]); });
    if (lines.next != nullptr) {
      const std::byte* ahead = lines.next + lane * lines.next_distance;
      for (integer offset = 0; offset < Rows * row_bytes; offset += 64) __builtin_prefetch(ahead + offset, 0, 2);
    }
    dft<Rows, T>(rows);
    finish_line<T, Rows, Stream>(rows, roots, scale, reinterpret_cast<T*>(lines.to + lane * lines.to_distance),
                                 lines.backward);
  }
}

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
