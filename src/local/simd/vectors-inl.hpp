// SPDX-License-Identifier: BSD-3-Clause
// Vectors whose lanes are lines: loading, storing, and the two rearrangements that bring interleaved
// complex numbers into split form.
//
// Lane order. Pairing two vectors lane by lane stays inside 128-bit blocks and is its own inverse, so
// it is the cheapest way to split and join complex numbers. It puts line l of the first half into lane
// 2l and line l of the second half into lane 2l+1. Every load and store below keeps to that order; the
// transforms do not care.
#if defined(WEFT_LOCAL_SIMD_VECTORS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_VECTORS_INL_HPP
#undef WEFT_LOCAL_SIMD_VECTORS_INL_HPP
#else
#define WEFT_LOCAL_SIMD_VECTORS_INL_HPP
#endif

#include <cstddef>
#include <type_traits>
#include <utility>

#include "hwy/highway.h"
#include "weft/index.hpp"

// Lambdas inherit neither the target nor the inlining of the function around them.
#undef WEFT_LAMBDA
#define WEFT_LAMBDA HWY_ATTR __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using tag = hn::ScalableTag<T>;
template <class T>
using real_vector = hn::Vec<tag<T>>;

/// Lines of one vector.
template <class T>
inline constexpr integer width = static_cast<integer>(hn::MaxLanes(tag<T>()));
/// Complex numbers of one line that fit in one vector.
template <class T>
inline constexpr integer half_width = width<T> / 2;

static_assert(width<double> >= 2, "the kernels need vectors of at least 128 bits");

template <class T>
struct complex_vector {
  real_vector<T> re;
  real_vector<T> im;
};

template <int... I, class Body>
HWY_INLINE void static_for(std::integer_sequence<int, I...>, const Body& body) {
  (body(std::integral_constant<int, I>{}), ...);
}
/// body(0), ..., body(Count - 1) with compile-time arguments.
template <int Count, class Body>
HWY_INLINE void static_for(const Body& body) {
  static_for(std::make_integer_sequence<int, Count>{}, body);
}

/// Element k of a buffer of split complex vectors.
template <class T>
HWY_INLINE T* element(T* buffer, integer k) {
  return buffer + k * 2 * width<T>;
}

template <class T>
HWY_INLINE complex_vector<T> load_element(const T* at) {
  return {hn::Load(tag<T>(), at), hn::Load(tag<T>(), at + width<T>)};
}

template <class T>
HWY_INLINE void store_element(const complex_vector<T>& value, T* at) {
  hn::Store(value.re, tag<T>(), at);
  hn::Store(value.im, tag<T>(), at + width<T>);
}

/// a0 a1 a2 a3, b0 b1 b2 b3 becomes a0 b0 a2 b2, a1 b1 a3 b3.
template <class T>
HWY_INLINE void pair_lanes(real_vector<T>& a, real_vector<T>& b) {
  const real_vector<T> even = sizeof(T) == 8 ? hn::InterleaveLower(tag<T>(), a, b) : hn::OddEven(hn::DupEven(b), a);
  const real_vector<T> odd = sizeof(T) == 8 ? hn::InterleaveUpper(tag<T>(), a, b) : hn::OddEven(b, hn::DupOdd(a));
  a = even;
  b = odd;
}

/// The same element of adjacent lines: `width` interleaved complex numbers.
template <class T>
HWY_INLINE complex_vector<T> load_row(const T* row) {
  complex_vector<T> value{hn::LoadU(tag<T>(), row), hn::LoadU(tag<T>(), row + width<T>)};
  pair_lanes<T>(value.re, value.im);
  return value;
}

template <class T>
HWY_INLINE void store_row(complex_vector<T> value, T* row) {
  pair_lanes<T>(value.re, value.im);
  hn::StoreU(value.re, tag<T>(), row);
  hn::StoreU(value.im, tag<T>(), row + width<T>);
}

/// store_row past the caches; `row` must be aligned to a vector.
template <class T>
HWY_INLINE void stream_row(complex_vector<T> value, T* row) {
  pair_lanes<T>(value.re, value.im);
  hn::Stream(value.re, tag<T>(), row);
  hn::Stream(value.im, tag<T>(), row + width<T>);
}

/// Whether vectors can be loaded and stored in part without touching the rest.
inline constexpr bool has_partial_vectors = HWY_TARGET <= HWY_AVX2;

/// The first `reals` lanes of two adjacent vectors.
template <class T>
struct row_mask {
  hn::Mask<tag<T>> low, high;

  HWY_INLINE explicit row_mask(integer reals)
      : low(hn::FirstN(tag<T>(), static_cast<std::size_t>(reals))),
        high(hn::FirstN(tag<T>(), static_cast<std::size_t>(reals > width<T> ? reals - width<T> : 0))) {}
};

template <class T>
HWY_INLINE complex_vector<T> load_row(const T* row, const row_mask<T>& mask) {
  complex_vector<T> value{hn::MaskedLoad(mask.low, tag<T>(), row), hn::MaskedLoad(mask.high, tag<T>(), row + width<T>)};
  pair_lanes<T>(value.re, value.im);
  return value;
}

template <class T>
HWY_INLINE void store_row(complex_vector<T> value, T* row, const row_mask<T>& mask) {
  pair_lanes<T>(value.re, value.im);
  hn::BlendedStore(value.re, mask.low, tag<T>(), row);
  hn::BlendedStore(value.im, mask.high, tag<T>(), row + width<T>);
}

template <class T>
HWY_INLINE complex_vector<T> scaled(const complex_vector<T>& value, real_vector<T> factor) {
  return {hn::Mul(value.re, factor), hn::Mul(value.im, factor)};
}

/// value * (cosine + i sine).
template <class T>
HWY_INLINE complex_vector<T> rotated(const complex_vector<T>& value, real_vector<T> cosine, real_vector<T> sine) {
  return {hn::NegMulAdd(value.im, sine, hn::Mul(value.re, cosine)),
          hn::MulAdd(value.re, sine, hn::Mul(value.im, cosine))};
}

/// value times the complex number at `root`, the same for every line.
template <class T>
HWY_INLINE complex_vector<T> rotated(const complex_vector<T>& value, const T* root) {
  return rotated(value, hn::Set(tag<T>(), root[0]), hn::Set(tag<T>(), root[1]));
}

/// 128-bit blocks of a vector.
template <class T>
inline constexpr int block_count = static_cast<int>(width<T>) * static_cast<int>(sizeof(T)) / 16;

// A square of 128-bit blocks, one row per vector, is transposed in two commuting steps: one exchanges
// halves of vectors, the other neighbouring blocks. From memory the first is free: half vectors can be
// loaded where they belong.

/// v(k) gets the lower halves of v(k) and v(k + size/2), v(k + size/2) the upper ones.
template <class T, int Size>
HWY_INLINE void exchange_halves(real_vector<T> (&v)[Size]) {
  if constexpr (block_count < T >> 1) {
    static_for<Size / 2>([&](auto k) WEFT_LAMBDA {
      const auto lower = hn::ConcatLowerLower(tag<T>(), v[k + Size / 2], v[k]);
      v[k + Size / 2] = hn::ConcatUpperUpper(tag<T>(), v[k + Size / 2], v[k]);
      v[k] = lower;
    });
  }
}

/// The same, loading v(k) from line(k).
template <class T, int Size, class Line>
HWY_INLINE void load_halves(const Line& line, real_vector<T> (&v)[Size]) {
  const tag<T> d;
  if constexpr (block_count < T >> 1) {
    const hn::Half<tag<T>> half;
    constexpr integer offset = half_width<T>;
    static_for<Size / 2>([&](auto k) WEFT_LAMBDA {
      const T* a = line(k);
      const T* b = line(k + Size / 2);
      v[k] = hn::Combine(d, hn::LoadU(half, b), hn::LoadU(half, a));
      v[k + Size / 2] = hn::Combine(d, hn::LoadU(half, b + offset), hn::LoadU(half, a + offset));
    });
  } else {
    static_for<Size>([&](auto k) WEFT_LAMBDA { v[k] = hn::LoadU(d, line(k)); });
  }
}

template <class T, int Size>
HWY_INLINE void exchange_blocks(real_vector<T> (&v)[Size]) {
  if constexpr (block_count < T >> 2) {
    static_assert(Size == 4 && block_count<T> == 4);
    static_for<2>([&](auto k) WEFT_LAMBDA {
      const auto even = v[2 * k];
      const auto odd = v[2 * k + 1];
      v[2 * k] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd), even);
      v[2 * k + 1] = hn::OddEvenBlocks(odd, hn::SwapAdjacentBlocks(even));
    });
  }
}

/// What is left, after exchange_halves, of transposing the square of lane pairs whose rows are the vectors.
template <class T, int Size>
HWY_INLINE void exchange_pairs(real_vector<T> (&v)[Size]) {
  if constexpr (sizeof(T) == 8) {
    exchange_blocks<T>(v);
  } else {
    const tag<double> d;
    constexpr int blocks = Size / 2;
    real_vector<double> even[blocks];
    real_vector<double> odd[blocks];
    static_for<blocks>([&](auto k) WEFT_LAMBDA {
      const auto upper = hn::BitCast(d, v[2 * k]);
      const auto lower = hn::BitCast(d, v[2 * k + 1]);
      even[k] = hn::InterleaveLower(d, upper, lower);
      odd[k] = hn::InterleaveUpper(d, upper, lower);
    });
    exchange_blocks<double>(even);
    exchange_blocks<double>(odd);
    static_for<blocks>([&](auto k) WEFT_LAMBDA {
      v[2 * k] = hn::BitCast(tag<T>(), even[k]);
      v[2 * k + 1] = hn::BitCast(tag<T>(), odd[k]);
    });
  }
}

/// Loads `width` vectors, the i-th from line(i), and transposes them: their lanes 2k become the vector
/// even(k), their lanes 2k+1 odd(k), in lane order.
template <class T, int Half, class Line>
HWY_INLINE void load_transposed(const Line& line, real_vector<T> (&even)[Half], real_vector<T> (&odd)[Half]) {
  load_halves<T>(line, even);
  load_halves<T>([&](integer k) WEFT_LAMBDA { return line(k + Half); }, odd);
  static_for<Half>([&](auto k) WEFT_LAMBDA { pair_lanes<T>(even[k], odd[k]); });
  exchange_pairs<T>(even);
  exchange_pairs<T>(odd);
}

/// The same in registers: even(k) is vector k, odd(k) vector k + Half.
template <class T, int Half>
HWY_INLINE void transpose(real_vector<T> (&even)[Half], real_vector<T> (&odd)[Half]) {
  exchange_halves<T>(even);
  exchange_halves<T>(odd);
  static_for<Half>([&](auto k) WEFT_LAMBDA { pair_lanes<T>(even[k], odd[k]); });
  exchange_pairs<T>(even);
  exchange_pairs<T>(odd);
}

/// The inverse, in registers: even(k) becomes the vector of line k, odd(k) that of line k + Half.
template <class T, int Half>
HWY_INLINE void transpose_back(real_vector<T> (&even)[Half], real_vector<T> (&odd)[Half]) {
  exchange_pairs<T>(even);
  exchange_pairs<T>(odd);
  exchange_halves<T>(even);
  exchange_halves<T>(odd);
  static_for<Half>([&](auto k) WEFT_LAMBDA { pair_lanes<T>(even[k], odd[k]); });
}

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
