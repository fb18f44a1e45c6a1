// SPDX-License-Identifier: BSD-3-Clause
// Butterflies: discrete Fourier transforms of a few elements in registers, forward, in natural order.
//
// Loops have constant bounds and are unrolled on devices, so that every index is known when they are compiled: an array
// that is indexed otherwise would lie in memory. Tables are local constants for the same reason.
#pragma once

#include "device/kernels/complex.hpp"

namespace weft::device {

template <int R>
struct butterfly;

template <>
struct butterfly<1> {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* /*v*/) {}
};

template <>
struct butterfly<2> {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    const complex<Real> a = v[0];
    v[0] = a + v[1];
    v[1] = a - v[1];
  }
};

template <>
struct butterfly<4> {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    const complex<Real> a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = times_minus_i(v[1] - v[3]);
    v[0] = a + c;
    v[1] = b + d;
    v[2] = a - c;
    v[3] = b - d;
  }
};

/// cos and sin of 2 pi k/R for all k.
template <int R>
struct root_table {
  double cosine[R], sine[R];
};
/// By their series in the first eighth of a turn, where few terms give all digits.
template <int R>
WEFT_CONSTANT_CODE root_table<R> roots_of() {
  root_table<R> roots{};
  for (int k = 0; k < R; ++k) {
    const int eighth = 8 * k / R, rest = 8 * k - eighth * R;
    const double x = 0.78539816339744830962 * (eighth % 2 == 0 ? rest : R - rest) / R;
    double c = 1, s = x, term = x;
    for (int n = 2; n < 24; ++n) {
      term = (n % 2 == 0 ? -term : term) * x / n;
      (n % 2 == 0 ? c : s) += term;
    }
    const bool swapped = eighth == 1 || eighth == 2 || eighth == 5 || eighth == 6;
    const double near = swapped ? s : c, far = swapped ? c : s;
    roots.cosine[k] = eighth >= 2 && eighth < 6 ? -near : near;
    roots.sine[k] = eighth >= 4 ? -far : far;
  }
  return roots;
}

/// An odd number of elements: those at equal distances from the first are added and subtracted, and real factors do the
/// rest.
template <int R>
struct odd_butterfly {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    constexpr root_table<R> roots = roots_of<R>();
    constexpr int half = R / 2;
    complex<Real> sum[half], difference[half];
    const complex<Real> first = v[0];
    complex<Real> all = first;
    WEFT_UNROLL
    for (int m = 1; m <= half; ++m) {
      sum[m - 1] = v[m] + v[R - m];
      difference[m - 1] = v[m] - v[R - m];
      all = all + sum[m - 1];
    }
    v[0] = all;
    WEFT_UNROLL
    for (int k = 1; k <= half; ++k) {
      complex<Real> a = first, b = {0, 0};
      WEFT_UNROLL
      for (int m = 1; m <= half; ++m) {
        const auto c = static_cast<Real>(roots.cosine[k * m % R]), s = static_cast<Real>(roots.sine[k * m % R]);
        a = {a.x + c * sum[m - 1].x, a.y + c * sum[m - 1].y};
        b = {b.x + s * difference[m - 1].x, b.y + s * difference[m - 1].y};
      }
      v[k] = {a.x + b.y, a.y - b.x};
      v[R - k] = {a.x - b.y, a.y + b.x};
    }
  }
};

/// A * B elements as B butterflies of A and A of B, with twiddles between.
template <int A, int B>
struct composed_butterfly {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    constexpr root_table<A* B> roots = roots_of<A * B>();
    complex<Real> between[A * B];
    WEFT_UNROLL
    for (int b = 0; b < B; ++b) {
      complex<Real> u[A];
      WEFT_UNROLL
      for (int a = 0; a < A; ++a) u[a] = v[a * B + b];
      butterfly<A>::run(u);
      WEFT_UNROLL
      for (int a = 0; a < A; ++a) {
        const int turn = a * b;
        between[b * A + a] = turn == 0 ? u[a]
                                       : u[a] * complex<Real>{static_cast<Real>(roots.cosine[turn]),
                                                              static_cast<Real>(-roots.sine[turn])};
      }
    }
    WEFT_UNROLL
    for (int a = 0; a < A; ++a) {
      complex<Real> u[B];
      WEFT_UNROLL
      for (int b = 0; b < B; ++b) u[b] = between[b * A + a];
      butterfly<B>::run(u);
      WEFT_UNROLL
      for (int b = 0; b < B; ++b) v[b * A + a] = u[b];
    }
  }
};

template <>
struct butterfly<8> {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    const auto h = static_cast<Real>(0.70710678118654752440);
    complex<Real> even[4] = {v[0] + v[4], v[1] + v[5], v[2] + v[6], v[3] + v[7]};
    complex<Real> odd[4] = {v[0] - v[4], v[1] - v[5], times_minus_i(v[2] - v[6]), v[3] - v[7]};
    odd[1] = {h * (odd[1].x + odd[1].y), h * (odd[1].y - odd[1].x)};
    odd[3] = {h * (odd[3].y - odd[3].x), -h * (odd[3].x + odd[3].y)};
    butterfly<4>::run(even);
    butterfly<4>::run(odd);
    WEFT_UNROLL
    for (int k = 0; k < 4; ++k) {
      v[2 * k] = even[k];  // NOLINT(bugprone-implicit-widening-of-multiplication-result)
      v[2 * k + 1] = odd[k];
    }
  }
};

template <>
struct butterfly<3> : odd_butterfly<3> {};
template <>
struct butterfly<5> : odd_butterfly<5> {};
template <>
struct butterfly<7> : odd_butterfly<7> {};
template <>
struct butterfly<11> : odd_butterfly<11> {};
template <>
struct butterfly<13> : odd_butterfly<13> {};
template <>
struct butterfly<6> : composed_butterfly<2, 3> {};
template <>
struct butterfly<9> : composed_butterfly<3, 3> {};
template <>
struct butterfly<10> : composed_butterfly<2, 5> {};
template <>
struct butterfly<12> : composed_butterfly<3, 4> {};
template <>
struct butterfly<14> : composed_butterfly<2, 7> {};
template <>
struct butterfly<15> : composed_butterfly<3, 5> {};
template <>
struct butterfly<16> : composed_butterfly<4, 4> {};
template <>
struct butterfly<18> : composed_butterfly<2, 9> {};
template <>
struct butterfly<20> : composed_butterfly<4, 5> {};
template <>
struct butterfly<21> : composed_butterfly<3, 7> {};
template <>
struct butterfly<24> : composed_butterfly<3, 8> {};
template <>
struct butterfly<25> : composed_butterfly<5, 5> {};
template <>
struct butterfly<27> : composed_butterfly<3, 9> {};
template <>
struct butterfly<28> : composed_butterfly<4, 7> {};
template <>
struct butterfly<30> : composed_butterfly<5, 6> {};
template <>
struct butterfly<32> : composed_butterfly<4, 8> {};

/// Calls visit.template operator()<R>() with the radix that is asked for; every radix of a plan is one of these.
template <class Visit>
WEFT_DEVICE_CODE void with_radix(int radix, Visit&& visit) {
  switch (radix) {
    case 2: return visit.template operator()<2>();
    case 3: return visit.template operator()<3>();
    case 4: return visit.template operator()<4>();
    case 5: return visit.template operator()<5>();
    case 7: return visit.template operator()<7>();
    case 8: return visit.template operator()<8>();
    case 11: return visit.template operator()<11>();
    case 13: return visit.template operator()<13>();
    case 16: return visit.template operator()<16>();
    default: return visit.template operator()<1>();
  }
}

}  // namespace weft::device
