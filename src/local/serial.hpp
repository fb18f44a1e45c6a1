// A slow, independent discrete Fourier transform: what every result is compared with.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "weft/index.hpp"

namespace weft::local {

/// Recursive mixed-radix transform straight from the definition, in the working precision `Real`,
/// with every root of unity computed in long double. Prime lengths cost n^2.
template <class Real>
class serial_transform {
 public:
  /// sign -1: forward, +1: backward; no scaling.
  serial_transform(integer length, int sign);
  /// `from` with stride to dense `to`; they must not overlap.
  void operator()(const std::complex<Real>* from, integer stride, std::complex<Real>* to) const;

 private:
  void recurse(integer n, const std::complex<Real>* from, integer stride, std::complex<Real>* to) const;

  integer length_;
  std::vector<std::complex<Real>> roots_;  // exp(sign * 2 pi i k / length)
};

/// Transforms `axes` of a dense row-major array in place, one line at a time.
template <class Real>
void transform_axes(std::span<std::complex<Real>> array, const extents& shape, const std::vector<int>& axes, int sign);

extern template class serial_transform<float>;
extern template class serial_transform<double>;

}  // namespace weft::local
