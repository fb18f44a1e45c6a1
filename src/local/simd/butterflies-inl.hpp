// SPDX-License-Identifier: BSD-3-Clause
// Discrete Fourier transforms of a few elements held in registers, exp(-2 pi i jk/n).
#if defined(WEFT_LOCAL_SIMD_BUTTERFLIES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_BUTTERFLIES_INL_HPP
#undef WEFT_LOCAL_SIMD_BUTTERFLIES_INL_HPP
#else
#define WEFT_LOCAL_SIMD_BUTTERFLIES_INL_HPP
#endif

#include <numeric>

#include "local/simd/roots.hpp"
#include "local/simd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

template <class T>
HWY_INLINE complex_vector<T> operator+(const complex_vector<T>& a, const complex_vector<T>& b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
template <class T>
HWY_INLINE complex_vector<T> operator-(const complex_vector<T>& a, const complex_vector<T>& b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
/// a - i b and a + i b.
template <class T>
HWY_INLINE complex_vector<T> minus_i(const complex_vector<T>& a, const complex_vector<T>& b) {
  return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
}
template <class T>
HWY_INLINE complex_vector<T> plus_i(const complex_vector<T>& a, const complex_vector<T>& b) {
  return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
}

/// a + f b and a - f b. A product that would be used twice is multiplied once where nothing is fused.
template <class T>
HWY_INLINE void add_and_subtract(real_vector<T> a, real_vector<T> b, real_vector<T> f, real_vector<T>& sum,
                                 real_vector<T>& difference) {
  if constexpr (HWY_NATIVE_FMA) {
    sum = hn::MulAdd(b, f, a);
    difference = hn::NegMulAdd(b, f, a);
  } else {
    const auto product = hn::Mul(b, f);
    sum = hn::Add(a, product);
    difference = hn::Sub(a, product);
  }
}
template <class T>
HWY_INLINE void add_and_subtract(const complex_vector<T>& a, const complex_vector<T>& b, real_vector<T> f,
                                 complex_vector<T>& sum, complex_vector<T>& difference) {
  add_and_subtract<T>(a.re, b.re, f, sum.re, difference.re);
  add_and_subtract<T>(a.im, b.im, f, sum.im, difference.im);
}
/// a - i f b and a + i f b.
template <class T>
HWY_INLINE void turn_and_subtract(const complex_vector<T>& a, const complex_vector<T>& b, real_vector<T> f,
                                  complex_vector<T>& minus, complex_vector<T>& plus) {
  add_and_subtract<T>(a.re, b.im, f, minus.re, plus.re);
  add_and_subtract<T>(a.im, b.re, f, plus.im, minus.im);
}

template <class T>
constexpr T cosine_of(integer numerator, integer denominator) {
  return static_cast<T>(root_of_unity(numerator % denominator, denominator).cosine);
}
template <class T>
constexpr T sine_of(integer numerator, integer denominator) {
  return static_cast<T>(root_of_unity(numerator % denominator, denominator).sine);
}

/// Roots whose parts are equal in size, +-sqrt(1/2): products are left to the additions that follow.
constexpr bool is_eighth(int exponent, int order) { return 8 * exponent == order || 8 * exponent == 3 * order; }

/// value * exp(-2 pi i Exponent/Order); trivial roots cost no multiplication. Of an eighth without its
/// factor, which is sqrt(1/2) for one eighth and -sqrt(1/2) for three.
template <int Exponent, int Order, class T>
HWY_INLINE complex_vector<T> rotated_by(const complex_vector<T>& value) {
  constexpr int e = Exponent % Order;
  const tag<T> d;
  if constexpr (e == 0) {
    return value;
  } else if constexpr (4 * e == Order) {
    return {value.im, hn::Neg(value.re)};
  } else if constexpr (2 * e == Order) {
    return {hn::Neg(value.re), hn::Neg(value.im)};
  } else if constexpr (8 * e == Order) {
    return {hn::Add(value.re, value.im), hn::Sub(value.im, value.re)};
  } else if constexpr (8 * e == 3 * Order) {
    return {hn::Sub(value.re, value.im), hn::Add(value.re, value.im)};
  } else {
    return rotated(value, hn::Set(d, cosine_of<T>(e, Order)), hn::Set(d, -sine_of<T>(e, Order)));
  }
}

/// An odd prime: sums and differences of mirrored elements, then a real matrix on either.
template <int Radix, class T>
HWY_INLINE void dft_odd(complex_vector<T> (&a)[Radix]) {
  const tag<T> d;
  constexpr int half = Radix / 2;
  complex_vector<T> sum[half];
  complex_vector<T> difference[half];
  const complex_vector<T> first = a[0];
  static_for<half>([&](auto k) WEFT_LAMBDA {
    sum[k] = a[k + 1] + a[Radix - 1 - k];
    difference[k] = a[k + 1] - a[Radix - 1 - k];
    a[0] = a[0] + sum[k];
  });
  static_for<half>([&](auto row) WEFT_LAMBDA {
    constexpr int j = row + 1;
    complex_vector<T> even = first;
    const auto first_sine = hn::Set(d, sine_of<T>(j, Radix));
    complex_vector<T> odd = half == 1 ? difference[0] : scaled<T>(difference[0], first_sine);
    static_for<half>([&](auto column) WEFT_LAMBDA {
      constexpr int k = column + 1;
      const auto cosine = hn::Set(d, cosine_of<T>(j * k, Radix));
      even = {hn::MulAdd(sum[column].re, cosine, even.re), hn::MulAdd(sum[column].im, cosine, even.im)};
      if constexpr (k > 1) {
        const auto sine = hn::Set(d, sine_of<T>(j * k, Radix));
        odd = {hn::MulAdd(difference[column].re, sine, odd.re), hn::MulAdd(difference[column].im, sine, odd.im)};
      }
    });
    if constexpr (half == 1) {
      turn_and_subtract<T>(even, odd, first_sine, a[j], a[Radix - j]);
    } else {
      a[j] = minus_i(even, odd);
      a[Radix - j] = plus_i(even, odd);
    }
  });
}

/// The first factor of a composite radix.
constexpr int outer_factor(int radix) {
  if (radix == 16 || radix == 12) return 4;
  return radix % 2 == 0 ? 2 : radix % 3 == 0 ? 3 : radix;
}

/// The k < A*B with k = a mod A and k = b mod B, for coprime A and B.
template <int A, int B>
constexpr int from_remainders(int a, int b) {
  int k = a;
  while (k % B != b) k += A;
  return k;
}

template <int Radix, class T>
HWY_INLINE void dft(complex_vector<T> (&a)[Radix]);

/// Four elements, of which rotated_by() gave element k its root Exponent * k.
template <int Exponent, int Order, class T>
HWY_INLINE void dft_rotated(complex_vector<T> (&a)[4]) {
  const auto half = hn::Set(tag<T>(), cosine_of<T>(1, 8));
  complex_vector<T> even_sum;
  complex_vector<T> even_difference;
  if constexpr (is_eighth(2 * Exponent, Order)) {
    const auto factor = 16 * Exponent == Order ? half : hn::Set(tag<T>(), -cosine_of<T>(1, 8));
    add_and_subtract<T>(a[0], a[2], factor, even_sum, even_difference);
  } else {
    even_sum = a[0] + a[2];
    even_difference = a[0] - a[2];
  }
  if constexpr (is_eighth(Exponent, Order)) {
    const complex_vector<T> odd_sum = a[1] - a[3];  // the factor of a(3) is negative
    const complex_vector<T> odd_difference = a[1] + a[3];
    add_and_subtract<T>(even_sum, odd_sum, half, a[0], a[2]);
    turn_and_subtract<T>(even_difference, odd_difference, half, a[1], a[3]);
  } else {
    const complex_vector<T> odd_sum = a[1] + a[3];
    const complex_vector<T> odd_difference = a[1] - a[3];
    a[0] = even_sum + odd_sum;
    a[1] = minus_i(even_difference, odd_difference);
    a[2] = even_sum - odd_sum;
    a[3] = plus_i(even_difference, odd_difference);
  }
}

/// Radix = A*B. Coprime factors need no roots between the two steps (Good and Thomas); others do.
template <int A, int B, class T>
HWY_INLINE void dft_composite(complex_vector<T> (&a)[A * B]) {
  constexpr int radix = A * B;
  constexpr bool coprime = std::gcd(A, B) == 1;
  static_assert(coprime || B == 4 || radix % 8 != 0, "somebody must multiply eighths by their factor");
  complex_vector<T> middle[A][B];
  static_for<B>([&](auto j) WEFT_LAMBDA {
    complex_vector<T> column[A];
    static_for<A>([&](auto i) WEFT_LAMBDA { column[i] = a[(B * i + (coprime ? A : 1) * j) % radix]; });
    dft<A, T>(column);
    static_for<A>([&](auto i) WEFT_LAMBDA { middle[i][j] = rotated_by < coprime ? 0 : i * j, radix > (column[i]); });
  });
  static_for<A>([&](auto i) WEFT_LAMBDA {
    if constexpr (B == 4 && !coprime) {
      dft_rotated<i, radix, T>(middle[i]);
    } else {
      dft<B, T>(middle[i]);
    }
    static_for<B>([&](auto j) WEFT_LAMBDA {
      if constexpr (coprime) {
        a[from_remainders<A, B>(i, j)] = middle[i][j];
      } else {
        a[i + A * j] = middle[i][j];
      }
    });
  });
}

template <int Radix, class T>
HWY_INLINE void dft(complex_vector<T> (&a)[Radix]) {
  if constexpr (Radix == 2) {
    const complex_vector<T> second = a[1];
    a[1] = a[0] - second;
    a[0] = a[0] + second;
  } else if constexpr (Radix == 4) {
    dft_rotated<0, 1, T>(a);
  } else if constexpr (outer_factor(Radix) == Radix) {
    dft_odd<Radix, T>(a);
  } else {
    dft_composite<outer_factor(Radix), Radix / outer_factor(Radix), T>(a);
  }
}

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
