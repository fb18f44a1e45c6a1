// SPDX-License-Identifier: BSD-3-Clause
// Slow, independent transforms: what every result is compared with.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "index/line_kind.hpp"
#include "weft/index.hpp"

namespace weft::local {

/// Sums of more terms than this, along lines without small factors, go through a convolution: they would take hours.
inline constexpr integer longest_sum = 5000;

/// Recursive mixed-radix transform straight from the definition, in the working precision `Real`,
/// with every root of unity computed in long double. Prime lengths up to longest_sum cost n^2.
template <class Real>
class serial_transform {
 public:
  /// sign -1: forward, +1: backward; no scaling.
  serial_transform(integer length, int sign);
  /// `from` with stride to dense `to`; they must not overlap.
  void operator()(const std::complex<Real>* from, integer stride, std::complex<Real>* to) const;
  [[nodiscard]] integer length() const { return length_; }

 private:
  struct convolution;
  void recurse(integer n, const std::complex<Real>* from, integer stride, std::complex<Real>* to) const;
  void convolve(const std::complex<Real>* from, integer stride, std::complex<Real>* to) const;

  integer length_;
  std::shared_ptr<const convolution> of_long_prime_;
  std::vector<std::complex<Real>> roots_;  // exp(sign * 2 pi i k / length)
};

/// A cosine or sine transform straight from its definition, n^2 terms, summed in a wider type; beyond longest_sum a
/// part of the Fourier transform of a period. It takes the kinds of real elements; complex ones are transformed part by
/// part.
template <class Real>
class serial_trigonometric {
 public:
  serial_trigonometric(line_kind kind, integer length);
  /// `from` with stride to dense `to`; they must not overlap. Of reals or of complex numbers.
  template <class Element>
  void operator()(const Element* from, integer stride, Element* to) const;

 private:
  template <class Element>
  [[nodiscard]] std::vector<Element> by_period(const Element* from, integer stride) const;

  integer length_;
  integer rows_, columns_;  // the angle is 2 pi (2j + rows) (2k + columns) / period, j in and k out
  integer single_first_, single_last_;
  bool sine_;
  std::vector<Real> table_;  // twice the cosine or sine of 2 pi m / period
  std::shared_ptr<const serial_transform<Real>> of_period_;
};

/// Transforms `axes` of a dense row-major array in place, one line at a time.
template <class Real>
void transform_axes(std::span<std::complex<Real>> array, const extents& shape, const std::vector<int>& axes, int sign);

/// Transforms one axis of such an array by a cosine or sine transform.
template <class Real>
void transform_axis(std::span<std::complex<Real>> array, const extents& shape, int axis, line_kind kind);

extern template class serial_transform<float>;
extern template class serial_transform<double>;

}  // namespace weft::local
