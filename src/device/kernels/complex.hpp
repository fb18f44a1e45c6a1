// SPDX-License-Identifier: BSD-3-Clause
// Complex numbers and the words that let one source be compiled for devices and for the host.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define WEFT_DEVICE_CODE __host__ __device__ __forceinline__
#define WEFT_CONSTANT_CODE __host__ __device__ constexpr
#define WEFT_UNROLL _Pragma("unroll")
#else
#define WEFT_DEVICE_CODE inline
#define WEFT_CONSTANT_CODE constexpr
#define WEFT_UNROLL
#endif

namespace weft::device {

/// std::complex has no place in kernels: its multiplication looks for infinities. One is loaded in one instruction.
template <class Real>
struct alignas(2 * sizeof(Real)) complex {
  Real x, y;
};

template <class Real>
WEFT_DEVICE_CODE complex<Real> operator+(complex<Real> a, complex<Real> b) {
  return {a.x + b.x, a.y + b.y};
}
template <class Real>
WEFT_DEVICE_CODE complex<Real> operator-(complex<Real> a, complex<Real> b) {
  return {a.x - b.x, a.y - b.y};
}
template <class Real>
WEFT_DEVICE_CODE complex<Real> operator*(complex<Real> a, complex<Real> b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
template <class Real>
WEFT_DEVICE_CODE complex<Real> conjugate(complex<Real> a) {
  return {a.x, -a.y};
}
template <class Real>
WEFT_DEVICE_CODE complex<Real> times_minus_i(complex<Real> a) {
  return {a.y, -a.x};
}

}  // namespace weft::device
