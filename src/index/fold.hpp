// SPDX-License-Identifier: BSD-3-Clause
// The modes of a real transform whose halved axis is split over ranks.
//
// A real axis of n = K p elements, cyclic over p ranks, is seen as the digits j = k p + s. Half a transform
// over k leaves the modes k = 0 .. K/2, and a transform over s the modes a = t K + k of the whole axis. Those
// past n/2 are not stored as such: they are the conjugates of the modes n - a, with the indices of all other
// transformed axes negated as well. In a zig-zag distribution an index and its negative lie on one rank,
// so this is a matter of addresses.
//
// And the coefficients of a cosine transform of type 2 (see cosine_order.hpp): of the mode a they are number a, its
// real part, and number n - a, its imaginary part. A second digit of 2 p values has the real parts of all t, and behind
// them the imaginary ones.
#pragma once

#include <vector>

#include "index/access_map.hpp"
#include "index/digits.hpp"

namespace weft::core {

struct fold {
  int axis = 0;             ///< the halved one
  integer length = 0;       ///< K
  integer points = 0;       ///< p; 2 p divides K
  bool has_zero = false;    ///< whether the rank has k = 0; every position then counts multiples of p
  bool has_middle = false;  ///< whether it has k = K/2
  bool in_parts = false;    ///< coefficients of cosines
  /// The other transformed axes, and whether the rank has their index 0, which is its own negative.
  struct other_axis {
    int axis = 0;
    bool has_zero = false;
  };
  std::vector<other_axis> others;

  /// Digits below this stand for themselves, the others for their mirror images: conjugates, or imaginary parts.
  [[nodiscard]] integer rows() const { return in_parts ? points : (points + 1) / 2; }
  /// The t of a digit.
  [[nodiscard]] integer number(integer digit) const { return in_parts ? digit % points : digit; }
  /// Whether index `k` and a digit stand for a mode: mode 0 has no imaginary part.
  [[nodiscard]] bool has(integer k, integer digit) const { return !in_parts || k != 0 || digit != points; }
  /// Which that is.
  [[nodiscard]] integer mode(integer k, integer digit) const {
    const integer a = number(digit) * length + k;
    return digit < rows() ? a : length * points - a;
  }
  /// Where it lies among the rank's modes of the whole axis, given the position of k.
  [[nodiscard]] integer position(integer k, integer digit) const {
    const integer direct = number(digit) * (length / points) + k;
    return digit < rows() ? direct : (has_zero ? length : length - 1) - direct;
  }
};

/// What a map is for. Modes with k = 0 or K/2 come twice: they are stored once, but loaded both times. What
/// stands for no mode is loaded as zero.
enum class fold_use : char { store, load };

/// A map of a plain array of whole axes as one of its digits, whose last digits lead.
[[nodiscard]] access_map folded_map(const access_map& whole, const digit_list& digits, const extents& seen,
                                    const fold& folded, fold_use use);

}  // namespace weft::core
