// SPDX-License-Identifier: BSD-3-Clause
// Elements with half the bytes, as messages carry them where their rounding is tolerated: f64 as f32, f32 as bf16.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>

#include "weft/types.hpp"

namespace weft::local {

/// The upper half of a float: its range, and eight bits of its significand.
struct bfloat {
  std::uint16_t bits;
};

inline float narrowed(double value) { return static_cast<float>(value); }
/// To the nearest, ties to even.
inline bfloat narrowed(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return {static_cast<std::uint16_t>((bits >> 16U) | 0x40U)};  // rounding could carry it away
  return {static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U)};
}

inline double widened(float value) { return value; }
inline float widened(bfloat value) { return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16U); }

template <class Real>
struct narrow_complex {
  decltype(narrowed(Real{})) real, imaginary;
};
template <class Real>
narrow_complex<Real> narrowed(const std::complex<Real>& value) {
  return {narrowed(value.real()), narrowed(value.imag())};
}
template <class Real>
std::complex<Real> widened(const narrow_complex<Real>& value) {
  return {widened(value.real), widened(value.imaginary)};
}

template <class T>
using narrow = decltype(narrowed(T{}));

/// Bound of the relative error of one rounding.
[[nodiscard]] inline double rounding_of_narrow(precision element) {
  return element == precision::f64 ? 0x1p-24 : 0x1p-9;
}

/// Whether so many exchanges, each of which rounds once, may do so for this tolerance, if nothing is dropped behind
/// them.
[[nodiscard]] inline bool tolerates_narrow(precision element, std::size_t exchanges, double tolerance) {
  return tolerance > 0 && static_cast<double>(exchanges) * rounding_of_narrow(element) <= tolerance;
}

}  // namespace weft::local
