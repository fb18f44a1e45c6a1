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

template <class T>
HWY_INLINE complex_vector<T> scaled(const complex_vector<T>& value, real_vector<T> factor) {
  return {hn::Mul(value.re, factor), hn::Mul(value.im, factor)};
}

/// value * (cosine + i sine).
template <class T>
HWY_INLINE complex_vector<T> rotated(const complex_vector<T>& value, real_vector<T> cosine,
                                     real_vector<T> sine) {
  return {hn::NegMulAdd(value.im, sine, hn::Mul(value.re, cosine)),
          hn::MulAdd(value.re, sine, hn::Mul(value.im, cosine))};
}

/// value times the complex number at `root`, the same for every line.
template <class T>
HWY_INLINE complex_vector<T> rotated(const complex_vector<T>& value, const T* root) {
  return rotated(value, hn::Set(tag<T>(), root[0]), hn::Set(tag<T>(), root[1]));
}

/// Transposes the square matrix of 128-bit blocks whose rows are the vectors.
template <class T, int Blocks>
HWY_INLINE void transpose_blocks(real_vector<T> (&v)[Blocks]) {
  const tag<T> d;
  static_assert(Blocks == 1 || Blocks == 2 || Blocks == 4);
  if constexpr (Blocks == 2) {
    const auto low = hn::ConcatLowerLower(d, v[1], v[0]);
    v[1] = hn::ConcatUpperUpper(d, v[1], v[0]);
    v[0] = low;
  } else if constexpr (Blocks == 4) {
    const auto even_low = hn::ConcatLowerLower(d, v[2], v[0]);
    const auto even_high = hn::ConcatUpperUpper(d, v[2], v[0]);
    const auto odd_low = hn::ConcatLowerLower(d, v[3], v[1]);
    const auto odd_high = hn::ConcatUpperUpper(d, v[3], v[1]);
    v[0] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd_low), even_low);
    v[1] = hn::OddEvenBlocks(odd_low, hn::SwapAdjacentBlocks(even_low));
    v[2] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd_high), even_high);
    v[3] = hn::OddEvenBlocks(odd_high, hn::SwapAdjacentBlocks(even_high));
  }
}

/// Transposes the square matrix of lane pairs whose rows are the vectors.
template <class T, int Pairs>
HWY_INLINE void transpose_pairs(real_vector<T> (&v)[Pairs]) {
  if constexpr (sizeof(T) == 8) {
    transpose_blocks<T>(v);
  } else {
    const tag<double> d;
    constexpr int blocks = Pairs / 2;
    real_vector<double> even[blocks];
    real_vector<double> odd[blocks];
    static_for<blocks>([&](auto k) WEFT_LAMBDA {
      const auto upper = hn::BitCast(d, v[2 * k]);
      const auto lower = hn::BitCast(d, v[2 * k + 1]);
      even[k] = hn::InterleaveLower(d, upper, lower);
      odd[k] = hn::InterleaveUpper(d, upper, lower);
    });
    transpose_blocks<double>(even);
    transpose_blocks<double>(odd);
    static_for<blocks>([&](auto k) WEFT_LAMBDA {
      v[2 * k] = hn::BitCast(tag<T>(), even[k]);
      v[2 * k + 1] = hn::BitCast(tag<T>(), odd[k]);
    });
  }
}

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
