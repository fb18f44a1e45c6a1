// SPDX-License-Identifier: BSD-3-Clause
// Random data as a function of the seed, the batch member and the place in the whole array: any rank
// can compute any element, and the data do not depend on how the array is distributed.
#pragma once

#include <complex>
#include <cstdint>

#include "weft/index.hpp"

namespace weft::tool {

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// In [-1, 1); with few enough bits to be exact in float too, so that a double-precision reference of a
/// float problem starts from the very same numbers.
template <class T>
struct random_value {
  static T from(std::uint64_t bits) { return static_cast<T>(static_cast<double>(bits >> 40U) * 0x1p-23 - 1.0); }
};
template <>
struct random_value<double> {
  static double from(std::uint64_t bits) { return static_cast<double>(bits >> 11U) * 0x1p-52 - 1.0; }
};
template <class Real>
struct random_value<std::complex<Real>> {
  static std::complex<Real> from(std::uint64_t bits) {
    return {random_value<Real>::from(bits), random_value<Real>::from(mixed(bits))};
  }
};

/// The input of one batch member.
class random_array {
 public:
  random_array(std::uint64_t seed, integer batch_member)
      : base_(mixed(mixed(seed) + static_cast<std::uint64_t>(batch_member))) {}

  template <class T>
  [[nodiscard]] T element(integer global) const {
    return random_value<T>::from(mixed(base_ + static_cast<std::uint64_t>(global)));
  }

 private:
  std::uint64_t base_;
};

}  // namespace weft::tool
