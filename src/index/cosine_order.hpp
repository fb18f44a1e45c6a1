// SPDX-License-Identifier: BSD-3-Clause
// The order in which cosine transforms of types 2 and 4 are Fourier transforms.
//
// Of n elements x(j), let y(m) = x(2m) for m < n/2 and y(n-1-m) = x(2m+1) (Makhoul). Type 2 is a real transform of y:
// with its modes Y, and Z(a) = exp(-i pi a/2n) Y(a), the coefficients are X(a) = 2 Re Z(a) and X(n-a) = -2 Im Z(a).
// Type 4 is a complex transform of v(m) = y(m) + i y(m + n/2), turned before and after: with its coefficients in the
// same order, 2 Re V(l) is number l and -2 Im V(l) number l + n/2.
//
// Where p ranks share n = K p elements zig-zag about the half, rank s has the elements 2s and -1-2s modulo 2p, which
// are y(k p + s): y is cyclic over the ranks, as four-step wants it.
#pragma once

#include "index/access_map.hpp"
#include "index/digits.hpp"

namespace weft::core {

struct cosine_order {
  int axis = 0;
  integer length = 0;  ///< K; 2 p divides it
  integer points = 0;  ///< p
  integer point = 0;   ///< s

  /// Where y(k p + s) lies among the rank's elements of the axis: those of its two classes alternate.
  [[nodiscard]] integer position(integer k) const {
    const bool rising = 2 * k < length;
    const bool second = rising == (2 * point >= points);
    return 2 * (rising ? k : length - 1 - k) + (second ? 1 : 0);
  }
  /// The index of y(m) in x.
  [[nodiscard]] integer index_of(integer m) const {
    const integer n = length * points;
    return 2 * m < n ? 2 * m : 2 * (n - m) - 1;
  }
};

/// A map of a plain array of whole axes as one of its digits, those of one axis in this order.
[[nodiscard]] access_map cosine_map(const access_map& whole, const digit_list& digits, const extents& seen,
                                    const cosine_order& of, digit_order order);

}  // namespace weft::core
