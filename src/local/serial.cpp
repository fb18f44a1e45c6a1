// SPDX-License-Identifier: BSD-3-Clause
#include "local/serial.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

namespace weft::local {

namespace {

integer smallest_factor(integer n) {
  for (integer p = 2; p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

integer largest_prime_factor(integer n) {
  integer largest = 1;
  for (; n > 1; n /= largest) largest = smallest_factor(n);
  return largest;
}

template <class Real>
std::complex<Real> root(integer power, integer of, int sign) {
  const long double angle =
      2 * std::numbers::pi_v<long double> * static_cast<long double>(power) / static_cast<long double>(of);
  return {static_cast<Real>(std::cos(angle)), static_cast<Real>(sign * std::sin(angle))};
}

}  // namespace

/// Of a prime length n, by jk = (j^2 + k^2 - (k-j)^2) / 2.
template <class Real>
struct serial_transform<Real>::convolution {
  convolution(integer n, int sign)
      : length(static_cast<integer>(std::bit_ceil(static_cast<std::uint64_t>(2 * n - 1)))),
        there(length, -1),
        back(length, 1),
        spectrum(static_cast<std::size_t>(length)) {
    std::vector<std::complex<Real>> chirp(static_cast<std::size_t>(length));
    for (integer j = 0; j < n; ++j) {
      turns.push_back(
          root<Real>(static_cast<integer>(static_cast<__int128>(j) * j % (static_cast<__int128>(2) * n)), 2 * n, sign));
      chirp[static_cast<std::size_t>(j)] = chirp[static_cast<std::size_t>((length - j) % length)] =
          std::conj(turns.back());
    }
    there(chirp.data(), 1, spectrum.data());
  }

  integer length;
  serial_transform there, back;
  std::vector<std::complex<Real>> turns, spectrum;
};

template <class Real>
serial_transform<Real>::serial_transform(integer length, int sign) : length_(length) {
  if (const integer p = largest_prime_factor(length); p > longest_sum) {
    of_long_prime_ = std::make_shared<const convolution>(p, sign);
  }
  for (integer k = 0; k < length; ++k) roots_.push_back(root<Real>(k, length, sign));
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
  if (m == 1 && p > longest_sum) return convolve(from, stride, to);
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
void serial_transform<Real>::convolve(const std::complex<Real>* from, integer stride, std::complex<Real>* to) const {
  const convolution& c = *of_long_prime_;
  const std::size_t n = c.turns.size();
  std::vector<std::complex<Real>> a(c.spectrum.size()), b(c.spectrum.size());
  for (std::size_t j = 0; j < n; ++j) a[j] = from[static_cast<integer>(j) * stride] * c.turns[j];
  c.there(a.data(), 1, b.data());
  for (std::size_t k = 0; k < b.size(); ++k) b[k] *= c.spectrum[k];
  c.back(b.data(), 1, a.data());
  for (std::size_t k = 0; k < n; ++k) to[k] = a[k] * c.turns[k] / static_cast<Real>(c.length);
}

namespace {

/// Where the two indices of a cosine or sine start, in halves; which terms count once instead of twice.
struct definition {
  line_kind kind;
  integer rows, columns;
  integer more;  // half a period has so many elements more than the line
  bool single_first, single_last;
};
constexpr definition definitions[] = {
    {line_kind::dct1, 0, 0, -1, true, true},  {line_kind::dct2, 1, 0, 0, false, false},
    {line_kind::dct3, 0, 1, 0, true, false},  {line_kind::dct4, 1, 1, 0, false, false},
    {line_kind::dst1, 2, 2, 1, false, false}, {line_kind::dst2, 1, 2, 0, false, false},
    {line_kind::dst3, 2, 1, 0, false, true},  {line_kind::dst4, 1, 1, 0, false, false},
};

bool is_sine(line_kind kind) {
  return kind == line_kind::dst1 || kind == line_kind::dst2 || kind == line_kind::dst3 || kind == line_kind::dst4;
}

template <class Real>
using wider = std::conditional_t<std::is_same_v<Real, float>, double, long double>;
template <class Element>
struct wide_sum {
  using type = wider<Element>;
};
template <class Real>
struct wide_sum<std::complex<Real>> {
  using type = std::complex<wider<Real>>;
};

/// Calls visit(first element, stride) for every line of a dense array along `axis`.
template <class Element, class Visit>
void each_line(std::span<Element> array, const extents& shape, int axis, const Visit& visit) {
  const auto a = static_cast<std::size_t>(axis);
  const integer n = shape[a];
  integer inner = 1;
  for (std::size_t l = a + 1; l < shape.size(); ++l) inner *= shape[l];
  const integer lines = n == 0 ? 0 : static_cast<integer>(array.size()) / n;
  for (integer i = 0; i < lines; ++i) visit(array.data() + (i / inner) * n * inner + i % inner, inner);
}

}  // namespace

template <class Real>
serial_trigonometric<Real>::serial_trigonometric(line_kind kind, integer length) : length_(length) {
  const auto& found = *std::ranges::find(definitions, kind, &definition::kind);
  rows_ = found.rows;
  columns_ = found.columns;
  single_first_ = found.single_first ? 0 : -1;
  single_last_ = found.single_last ? length - 1 : -1;
  sine_ = is_sine(kind);
  const integer period = 8 * (length + found.more);
  if (length > longest_sum) {
    of_period_ = std::make_shared<const serial_transform<Real>>(period, 1);
    return;
  }
  for (integer m = 0; m < period; ++m) {
    const auto on_circle = root<Real>(m, period, 1);
    table_.push_back(2 * (sine_ ? on_circle.imag() : on_circle.real()));
  }
}

template <class Real>
template <class Element>
void serial_trigonometric<Real>::operator()(const Element* from, integer stride, Element* to) const {
  if (of_period_) {
    std::ranges::copy(by_period(from, stride), to);
    return;
  }
  using wide = typename wide_sum<Element>::type;
  const auto period = static_cast<integer>(table_.size());
  for (integer k = 0; k < length_; ++k) {
    wide sum{};
    for (integer j = 0; j < length_; ++j) {
      const auto m = static_cast<integer>(static_cast<__int128>(2 * j + rows_) * (2 * k + columns_) % period);
      const auto factor = static_cast<wider<Real>>(table_[static_cast<std::size_t>(m)]);
      const bool single = j == single_first_ || j == single_last_;
      sum += static_cast<wide>(from[j * stride]) * (single ? factor / 2 : factor);
    }
    to[k] = static_cast<Element>(sum);
  }
}

template <class Real>
template <class Element>
std::vector<Element> serial_trigonometric<Real>::by_period(const Element* from, integer stride) const {
  const auto period = static_cast<std::size_t>(of_period_->length());
  std::vector<Element> result(static_cast<std::size_t>(length_));
  std::vector<std::complex<Real>> line(period), modes(period);
  const auto add = [&](const auto& part_of, Element unit) {
    for (integer j = 0; j < length_; ++j) {
      const Real times = j == single_first_ || j == single_last_ ? 1 : 2;
      line[static_cast<std::size_t>(2 * j + rows_)] = times * part_of(from[j * stride]);
    }
    (*of_period_)(line.data(), 1, modes.data());
    for (integer k = 0; k < length_; ++k) {
      const auto& mode = modes[static_cast<std::size_t>(2 * k + columns_)];
      result[static_cast<std::size_t>(k)] += unit * (sine_ ? mode.imag() : mode.real());
    }
  };
  if constexpr (std::is_same_v<Element, Real>) {
    add([](Real x) { return x; }, Real{1});
  } else {
    add([](const Element& x) { return x.real(); }, Element{1});
    add([](const Element& x) { return x.imag(); }, Element{0, 1});
  }
  return result;
}

template <class Real>
void transform_axes(std::span<std::complex<Real>> array, const extents& shape, const std::vector<int>& axes, int sign) {
  for (const int axis : axes) {
    const integer n = shape[static_cast<std::size_t>(axis)];
    const serial_transform<Real> transform(n, sign);
    std::vector<std::complex<Real>> line(static_cast<std::size_t>(n));
    each_line(array, shape, axis, [&](std::complex<Real>* first, integer stride) {
      transform(first, stride, line.data());
      for (integer k = 0; k < n; ++k) first[k * stride] = line[static_cast<std::size_t>(k)];
    });
  }
}

template <class Real>
void transform_axis(std::span<std::complex<Real>> array, const extents& shape, int axis, line_kind kind) {
  const integer n = shape[static_cast<std::size_t>(axis)];
  if (n == 0) return;
  const serial_trigonometric<Real> transform(kind, n);
  std::vector<std::complex<Real>> line(static_cast<std::size_t>(n));
  each_line(array, shape, axis, [&](std::complex<Real>* first, integer stride) {
    transform(first, stride, line.data());
    for (integer k = 0; k < n; ++k) first[k * stride] = line[static_cast<std::size_t>(k)];
  });
}

template class serial_transform<float>;
template class serial_transform<double>;
template class serial_trigonometric<float>;
template class serial_trigonometric<double>;
template void serial_trigonometric<float>::operator()(const float*, integer, float*) const;
template void serial_trigonometric<float>::operator()(const std::complex<float>*, integer, std::complex<float>*) const;
template void serial_trigonometric<double>::operator()(const double*, integer, double*) const;
template void serial_trigonometric<double>::operator()(const std::complex<double>*, integer,
                                                       std::complex<double>*) const;
template void transform_axis(std::span<std::complex<float>>, const extents&, int, line_kind);
template void transform_axis(std::span<std::complex<double>>, const extents&, int, line_kind);
template void transform_axes(std::span<std::complex<float>>, const extents&, const std::vector<int>&, int);
template void transform_axes(std::span<std::complex<double>>, const extents&, const std::vector<int>&, int);

}  // namespace weft::local
