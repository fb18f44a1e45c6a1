// SPDX-License-Identifier: BSD-3-Clause
#include "local/trigonometric_sums.hpp"

#include "local/simd/roots.hpp"
#include "weft/error.hpp"

namespace weft::local {

namespace {

/// exp(-2 pi i numerator/denominator).
std::complex<double> turned_root(integer numerator, integer denominator) {
  const unit_root r = root_of_unity(numerator % denominator, denominator);
  return {static_cast<double>(r.cosine), static_cast<double>(-r.sine)};
}

}  // namespace

/// A sum of x_j cos(a_jk) is the real part of one of x_j exp(-i a_jk), and with sines of i times that. The angle a_jk
/// of types 2, 3 and 4 has halves in it, which are in the factors.
trigonometric_sum sum_of(line_kind kind, integer n) {
  using enum line_kind;
  const bool sines = kind == dst1 || kind == dst2 || kind == dst3 || kind == dst4;
  trigonometric_sum s;
  s.length = kind == dct1 ? 2 * (n - 1) : kind == dst1 ? 2 * (n + 1) : 2 * n;
  s.first_in = kind == dst1 || kind == dst3 ? 1 : 0;
  s.first_out = kind == dst1 || kind == dst2 ? 1 : 0;
  s.before.assign(static_cast<std::size_t>(s.length), 2);
  s.after.assign(static_cast<std::size_t>(s.length), sines ? std::complex<double>(0, 1) : 1);
  for (integer k = 0; k < s.length; ++k) {
    auto &in = s.before[static_cast<std::size_t>(k)], &out = s.after[static_cast<std::size_t>(k)];
    switch (kind) {
      case dct1:
        if (k == 0 || k == n - 1) in = 1;
        break;
      case dst1: break;
      case dct2:
      case dst2: out *= turned_root(k, 4 * n); break;
      case dct3:
      case dst3:
        if (k == (kind == dct3 ? 0 : n)) in = 1;
        in *= turned_root(k, 4 * n);
        break;
      case dct4:
      case dst4:
        in *= turned_root(k, 4 * n);
        out *= turned_root(2 * k + 1, 8 * n);
        break;
      default: throw internal_error("no cosine or sine transform of real elements");
    }
  }
  return s;
}

}  // namespace weft::local
