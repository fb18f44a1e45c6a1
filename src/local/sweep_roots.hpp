// SPDX-License-Identifier: BSD-3-Clause
// Roots of unity for the lines of a device's sweeps, as its kernels have them.
#pragma once

#include <complex>
#include <vector>

#include "device/kernels/complex.hpp"
#include "local/serial.hpp"
#include "local/simd/roots.hpp"

namespace weft::local {

/// The stages of a length: its factors as radices that butterflies have. Empty: it has others.
inline std::vector<int> radices_of(integer length) {
  std::vector<int> found;
  for (const int p : {13, 11, 7, 5, 3}) {
    for (; length % p == 0; length /= p) found.push_back(p);
  }
  int twos = 0;
  for (; length % 2 == 0; length /= 2) ++twos;
  if (length != 1) return {};
  for (; twos > 4 && twos != 5; twos -= 4) found.push_back(16);
  if (twos == 5) {
    found.push_back(8);
    twos = 2;
  }
  if (twos > 0) found.push_back(1 << twos);
  if (found.empty()) found.push_back(1);
  return found;
}

/// The first length from `least` on that has stages of 2, 3 and 5 only.
inline integer convolution_length(integer least) {
  for (integer n = least;; ++n) {
    integer rest = n;
    for (const int p : {2, 3, 5}) {
      while (rest % p == 0) rest /= p;
    }
    if (rest == 1) return n;
  }
}

template <class Real>
device::complex<Real> root(integer numerator, integer denominator) {
  const unit_root r = root_of_unity(numerator, denominator);
  return {static_cast<Real>(r.cosine), static_cast<Real>(-r.sine)};
}

/// Of all stages but the first: for each power of a butterfly's inputs one for each butterfly before.
template <class Real>
std::vector<device::complex<Real>> twiddles_of(const std::vector<int>& radices) {
  std::vector<device::complex<Real>> table;
  integer before = radices.front();
  for (std::size_t s = 1; s < radices.size(); ++s) {
    const integer all = before * radices[s];
    for (int k = 1; k < radices[s]; ++k) {
      for (integer j = 0; j < before; ++j) table.push_back(root<Real>(j * k % all, all));
    }
    before = all;
  }
  return table;
}

/// exp(-pi i k^2/n).
template <class Real>
std::vector<device::complex<Real>> chirp_of(integer length) {
  std::vector<device::complex<Real>> table;
  for (integer k = 0; k < length; ++k) table.push_back(root<Real>(k * k % (2 * length), 2 * length));
  return table;
}

/// The spectrum of the chirp's conjugate, with what the transform back multiplies by.
template <class Real>
std::vector<device::complex<Real>> filter_of(integer length, integer work_length) {
  std::vector<std::complex<double>> chirp(static_cast<std::size_t>(work_length)), spectrum(chirp.size());
  const auto factors = chirp_of<double>(length);
  for (integer k = 0; k < length; ++k) {
    const std::complex<double> value(factors[static_cast<std::size_t>(k)].x, -factors[static_cast<std::size_t>(k)].y);
    chirp[static_cast<std::size_t>(k)] = value;
    chirp[static_cast<std::size_t>((work_length - k) % work_length)] = value;
  }
  serial_transform<double>(work_length, -1)(chirp.data(), 1, spectrum.data());
  std::vector<device::complex<Real>> table;
  const auto n = static_cast<double>(work_length);
  for (const auto& s : spectrum) table.push_back({static_cast<Real>(s.real() / n), static_cast<Real>(s.imag() / n)});
  return table;
}

/// Every `step`-th power of exp(-2 pi i/n), `count` of them.
template <class Real>
std::vector<device::complex<Real>> powers_of_root(integer n, integer step, integer count) {
  std::vector<device::complex<Real>> table;
  for (integer k = 0; k < count; ++k) table.push_back(root<Real>(k * step % n, n));
  return table;
}

}  // namespace weft::local
