#include "local/serial.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weft::local {

namespace {

integer smallest_factor(integer n) {
  for (integer p = 2; p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

}  // namespace

template <class Real>
serial_transform<Real>::serial_transform(integer length, int sign) : length_(length) {
  for (integer k = 0; k < length; ++k) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(length);
    roots_.emplace_back(static_cast<Real>(std::cos(angle)), static_cast<Real>(sign * std::sin(angle)));
  }
}

template <class Real>
void serial_transform<Real>::operator()(const std::complex<Real>* from, integer stride, std::complex<Real>* to) const {
  if (length_ > 0) recurse(length_, from, stride, to);
}

template <class Real>
void serial_transform<Real>::recurse(integer n, const std::complex<Real>* from, integer stride,
                                     std::complex<Real>* to) const {
  if (n == 1) {
    to[0] = from[0];
    return;
  }
  const integer p = smallest_factor(n), m = n / p;
  for (integer q = 0; q < p; ++q) recurse(m, from + q * stride, stride * p, to + q * m);
  // to[q*m + k] holds entry k of the sub-transform q; combine the p entries of each k.
  const integer unit = length_ / n;
  std::vector<std::complex<Real>> column(static_cast<std::size_t>(p));
  for (integer k = 0; k < m; ++k) {
    for (integer q = 0; q < p; ++q) column[static_cast<std::size_t>(q)] = to[q * m + k];
    for (integer t = 0; t < p; ++t) {
      std::complex<Real> sum{};
      for (integer q = 0; q < p; ++q) {
        const integer power = static_cast<integer>(static_cast<__int128>(q) * (k + t * m) % n);
        sum += column[static_cast<std::size_t>(q)] * roots_[static_cast<std::size_t>(power * unit)];
      }
      to[t * m + k] = sum;
    }
  }
}

template <class Real>
void transform_axes(std::span<std::complex<Real>> array, const extents& shape, const std::vector<int>& axes, int sign) {
  for (const int axis : axes) {
    const auto a = static_cast<std::size_t>(axis);
    const integer n = shape[a];
    integer inner = 1;
    for (std::size_t l = a + 1; l < shape.size(); ++l) inner *= shape[l];
    const integer lines = n == 0 ? 0 : static_cast<integer>(array.size()) / n;
    const serial_transform<Real> transform(n, sign);
    std::vector<std::complex<Real>> line(static_cast<std::size_t>(n));
    for (integer i = 0; i < lines; ++i) {
      std::complex<Real>* const first = array.data() + (i / inner) * n * inner + i % inner;
      transform(first, inner, line.data());
      for (integer k = 0; k < n; ++k) first[k * inner] = line[static_cast<std::size_t>(k)];
    }
  }
}

template class serial_transform<float>;
template class serial_transform<double>;
template void transform_axes(std::span<std::complex<float>>, const extents&, const std::vector<int>&, int);
template void transform_axes(std::span<std::complex<double>>, const extents&, const std::vector<int>&, int);

}  // namespace weft::local
