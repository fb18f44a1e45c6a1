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

/// An odd number of elements: those at equal distances from the first are added and subtracted, and real factors do the
/// rest. `cosine` and `sine` are those of multiples of 2 pi/R.
template <int R, class Real>
WEFT_DEVICE_CODE void odd_butterfly(complex<Real>* v, const double (&cosine)[R], const double (&sine)[R]) {
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
      const auto c = static_cast<Real>(cosine[k * m % R]), s = static_cast<Real>(sine[k * m % R]);
      a = {a.x + c * sum[m - 1].x, a.y + c * sum[m - 1].y};
      b = {b.x + s * difference[m - 1].x, b.y + s * difference[m - 1].y};
    }
    v[k] = {a.x + b.y, a.y - b.x};
    v[R - k] = {a.x - b.y, a.y + b.x};
  }
}

/// A * B elements as B butterflies of A and A of B, with twiddles between; tables as above, of all R = A * B.
template <int A, int B, class Real>
WEFT_DEVICE_CODE void composed_butterfly(complex<Real>* v, const double (&cosine)[A * B], const double (&sine)[A * B]) {
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
      between[b * A + a] =
          turn == 0 ? u[a] : u[a] * complex<Real>{static_cast<Real>(cosine[turn]), static_cast<Real>(-sine[turn])};
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
      v[2 * k] = even[k];
      v[2 * k + 1] = odd[k];
    }
  }
};

template <>
struct butterfly<3> {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    const double cosine[3] = {1, -0.5, -0.5};
    const double sine[3] = {0, 0.86602540378443864676, -0.86602540378443864676};
    odd_butterfly<3>(v, cosine, sine);
  }
};

template <>
struct butterfly<5> {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    const double cosine[5] = {1, 0.3090169943749474241, -0.8090169943749474241, -0.8090169943749474241,
                              0.3090169943749474241};
    const double sine[5] = {0, 0.95105651629515357212, 0.58778525229247312917, -0.58778525229247312917,
                            -0.95105651629515357212};
    odd_butterfly<5>(v, cosine, sine);
  }
};

template <>
struct butterfly<7> {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    const double cosine[7] = {1,
                              0.62348980185873353053,
                              -0.22252093395631440429,
                              -0.90096886790241912624,
                              -0.90096886790241912624,
                              -0.22252093395631440429,
                              0.62348980185873353053};
    const double sine[7] = {0,
                            0.78183148246802980871,
                            0.97492791218182360702,
                            0.43388373911755812048,
                            -0.43388373911755812048,
                            -0.97492791218182360702,
                            -0.78183148246802980871};
    odd_butterfly<7>(v, cosine, sine);
  }
};

template <>
struct butterfly<11> {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    const double cosine[11] = {1,
                               0.84125353283118116886,
                               0.41541501300188642553,
                               -0.14231483827328514044,
                               -0.65486073394528506406,
                               -0.95949297361449738989,
                               -0.95949297361449738989,
                               -0.65486073394528506406,
                               -0.14231483827328514044,
                               0.41541501300188642553,
                               0.84125353283118116886};
    const double sine[11] = {0,
                             0.54064081745559758211,
                             0.90963199535451837141,
                             0.98982144188093273238,
                             0.75574957435425828377,
                             0.28173255684142969771,
                             -0.28173255684142969771,
                             -0.75574957435425828377,
                             -0.98982144188093273238,
                             -0.90963199535451837141,
                             -0.54064081745559758211};
    odd_butterfly<11>(v, cosine, sine);
  }
};

template <>
struct butterfly<13> {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    const double cosine[13] = {1,
                               0.8854560256532098959,
                               0.56806474673115580251,
                               0.12053668025532305335,
                               -0.35460488704253562597,
                               -0.74851074817110109863,
                               -0.97094181742605202716,
                               -0.97094181742605202716,
                               -0.74851074817110109863,
                               -0.35460488704253562597,
                               0.12053668025532305335,
                               0.56806474673115580251,
                               0.8854560256532098959};
    const double sine[13] = {0,
                             0.46472317204376854566,
                             0.82298386589365639458,
                             0.9927088740980539928,
                             0.93501624268541482344,
                             0.66312265824079520238,
                             0.23931566428755776715,
                             -0.23931566428755776715,
                             -0.66312265824079520238,
                             -0.93501624268541482344,
                             -0.9927088740980539928,
                             -0.82298386589365639458,
                             -0.46472317204376854566};
    odd_butterfly<13>(v, cosine, sine);
  }
};

template <>
struct butterfly<6> {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    const double cosine[6] = {1, 0.5, -0.5, -1, -0.5, 0.5};
    const double sine[6] = {0, 0.86602540378443864676,  0.86602540378443864676,
                            0, -0.86602540378443864676, -0.86602540378443864676};
    composed_butterfly<2, 3>(v, cosine, sine);
  }
};

template <>
struct butterfly<9> {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    const double cosine[9] = {1,    0.7660444431189780352,   0.17364817766693034885,
                              -0.5, -0.93969262078590838405, -0.93969262078590838405,
                              -0.5, 0.17364817766693034885,  0.7660444431189780352};
    const double sine[9] = {0,
                            0.64278760968653932632,
                            0.98480775301220805937,
                            0.86602540378443864676,
                            0.34202014332566873304,
                            -0.34202014332566873304,
                            -0.86602540378443864676,
                            -0.98480775301220805937,
                            -0.64278760968653932632};
    composed_butterfly<3, 3>(v, cosine, sine);
  }
};

template <>
struct butterfly<10> {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    const double cosine[10] = {
        1,  0.8090169943749474241,  0.3090169943749474241,  -0.3090169943749474241, -0.8090169943749474241,
        -1, -0.8090169943749474241, -0.3090169943749474241, 0.3090169943749474241,  0.8090169943749474241};
    const double sine[10] = {
        0, 0.58778525229247312917,  0.95105651629515357212,  0.95105651629515357212,  0.58778525229247312917,
        0, -0.58778525229247312917, -0.95105651629515357212, -0.95105651629515357212, -0.58778525229247312917};
    composed_butterfly<2, 5>(v, cosine, sine);
  }
};

template <>
struct butterfly<12> {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    const double cosine[12] = {1,  0.86602540378443864676,  0.5,  0, -0.5, -0.86602540378443864676,
                               -1, -0.86602540378443864676, -0.5, 0, 0.5,  0.86602540378443864676};
    const double sine[12] = {0, 0.5,  0.86602540378443864676,  1,  0.86602540378443864676,  0.5,
                             0, -0.5, -0.86602540378443864676, -1, -0.86602540378443864676, -0.5};
    composed_butterfly<3, 4>(v, cosine, sine);
  }
};

template <>
struct butterfly<16> {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    const double cosine[16] = {1,  0.92387953251128675613,  0.7071067811865475244,  0.38268343236508977173,
                               0,  -0.38268343236508977173, -0.7071067811865475244, -0.92387953251128675613,
                               -1, -0.92387953251128675613, -0.7071067811865475244, -0.38268343236508977173,
                               0,  0.38268343236508977173,  0.7071067811865475244,  0.92387953251128675613};
    const double sine[16] = {0,  0.38268343236508977173,  0.7071067811865475244,  0.92387953251128675613,
                             1,  0.92387953251128675613,  0.7071067811865475244,  0.38268343236508977173,
                             0,  -0.38268343236508977173, -0.7071067811865475244, -0.92387953251128675613,
                             -1, -0.92387953251128675613, -0.7071067811865475244, -0.38268343236508977173};
    composed_butterfly<4, 4>(v, cosine, sine);
  }
};

template <>
struct butterfly<20> {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    const double cosine[20] = {1,  0.9510565162951535,  0.8090169943749475,  0.5877852522924731,  0.3090169943749474,
                               0,  -0.3090169943749474, -0.5877852522924731, -0.8090169943749475, -0.9510565162951535,
                               -1, -0.9510565162951535, -0.8090169943749475, -0.5877852522924731, -0.3090169943749474,
                               0,  0.3090169943749474,  0.5877852522924731,  0.8090169943749475,  0.9510565162951535};
    const double sine[20] = {0,  0.3090169943749474,  0.5877852522924731,  0.8090169943749475,  0.9510565162951535,
                             1,  0.9510565162951535,  0.8090169943749475,  0.5877852522924731,  0.3090169943749474,
                             0,  -0.3090169943749474, -0.5877852522924731, -0.8090169943749475, -0.9510565162951535,
                             -1, -0.9510565162951535, -0.8090169943749475, -0.5877852522924731, -0.3090169943749474};
    composed_butterfly<4, 5>(v, cosine, sine);
  }
};

template <>
struct butterfly<32> {
  template <class Real>
  WEFT_DEVICE_CODE static void run(complex<Real>* v) {
    const double cosine[32] = {1,
                               0.9807852804032304,
                               0.9238795325112867,
                               0.8314696123025452,
                               0.7071067811865476,
                               0.5555702330196022,
                               0.3826834323650898,
                               0.19509032201612825,
                               0,
                               -0.19509032201612825,
                               -0.3826834323650898,
                               -0.5555702330196022,
                               -0.7071067811865476,
                               -0.8314696123025452,
                               -0.9238795325112867,
                               -0.9807852804032304,
                               -1,
                               -0.9807852804032304,
                               -0.9238795325112867,
                               -0.8314696123025452,
                               -0.7071067811865476,
                               -0.5555702330196022,
                               -0.3826834323650898,
                               -0.19509032201612825,
                               0,
                               0.19509032201612825,
                               0.3826834323650898,
                               0.5555702330196022,
                               0.7071067811865476,
                               0.8314696123025452,
                               0.9238795325112867,
                               0.9807852804032304};
    const double sine[32] = {0,
                             0.19509032201612825,
                             0.3826834323650898,
                             0.5555702330196022,
                             0.7071067811865476,
                             0.8314696123025452,
                             0.9238795325112867,
                             0.9807852804032304,
                             1,
                             0.9807852804032304,
                             0.9238795325112867,
                             0.8314696123025452,
                             0.7071067811865476,
                             0.5555702330196022,
                             0.3826834323650898,
                             0.19509032201612825,
                             0,
                             -0.19509032201612825,
                             -0.3826834323650898,
                             -0.5555702330196022,
                             -0.7071067811865476,
                             -0.8314696123025452,
                             -0.9238795325112867,
                             -0.9807852804032304,
                             -1,
                             -0.9807852804032304,
                             -0.9238795325112867,
                             -0.8314696123025452,
                             -0.7071067811865476,
                             -0.5555702330196022,
                             -0.3826834323650898,
                             -0.19509032201612825};
    composed_butterfly<4, 8>(v, cosine, sine);
  }
};

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
