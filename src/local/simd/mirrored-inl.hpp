// SPDX-License-Identifier: BSD-3-Clause
// A real line of length 2h as a complex line of length h: how their spectra are made of each other.
//
// z is the transform of x(2j) + i x(2j+1), w = exp(-2 pi i / 2h). With e = z(k) + conj z(h-k) and
// o = -i (z(k) - conj z(h-k)), twice the spectrum of x is e + w^k o at k and conj(e - w^k o) at h-k.
#if defined(WEFT_LOCAL_SIMD_MIRRORED_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_MIRRORED_INL_HPP
#undef WEFT_LOCAL_SIMD_MIRRORED_INL_HPP
#else
#define WEFT_LOCAL_SIMD_MIRRORED_INL_HPP
#endif

#include "local/simd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

/// Elements k and h-k.
template <class T>
struct mirrored_pair {
  complex_vector<T> low;
  complex_vector<T> high;
};

/// From z to twice the spectrum; `root` is w^k.
template <class T>
HWY_INLINE mirrored_pair<T> separate(const mirrored_pair<T>& z, const complex_vector<T>& root) {
  const complex_vector<T> even{hn::Add(z.low.re, z.high.re), hn::Sub(z.low.im, z.high.im)};
  const complex_vector<T> odd{hn::Add(z.low.im, z.high.im), hn::Sub(z.high.re, z.low.re)};
  const complex_vector<T> turned = rotated<T>(odd, root.re, root.im);
  return {{hn::Add(even.re, turned.re), hn::Add(even.im, turned.im)},
          {hn::Sub(even.re, turned.re), hn::Sub(turned.im, even.im)}};
}

/// From the spectrum to the z whose backward transform it has; `root` is conj w^k.
template <class T>
HWY_INLINE mirrored_pair<T> join(const mirrored_pair<T>& x, const complex_vector<T>& root) {
  const complex_vector<T> even{hn::Add(x.low.re, x.high.re), hn::Sub(x.low.im, x.high.im)};
  const complex_vector<T> difference{hn::Sub(x.low.re, x.high.re), hn::Add(x.low.im, x.high.im)};
  const complex_vector<T> odd = rotated<T>(difference, root.re, root.im);
  return {{hn::Sub(even.re, odd.im), hn::Add(even.im, odd.re)}, {hn::Add(even.re, odd.im), hn::Sub(odd.re, even.im)}};
}

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
