// SPDX-License-Identifier: BSD-3-Clause
// Roots of unity to more digits than a double holds, at compile time and at run time.
#pragma once

#include <numbers>

#include "weft/index.hpp"

namespace weft::local {

struct unit_root {
  long double cosine;
  long double sine;
};

/// exp(2 pi i numerator/denominator), 0 <= numerator < denominator. The angle is folded into the first
/// octant in integers, so that the series is short and symmetric roots are exactly symmetric.
[[nodiscard]] constexpr unit_root root_of_unity(integer numerator, integer denominator) {
  const integer eighths = 8 * numerator / denominator;
  if (eighths >= 4) {
    const unit_root r = root_of_unity(2 * numerator - denominator, 2 * denominator);
    return {-r.cosine, -r.sine};
  }
  if (eighths >= 2) {
    const unit_root r = root_of_unity(4 * numerator - denominator, 4 * denominator);
    return {-r.sine, r.cosine};
  }
  if (8 * numerator > denominator) {
    const unit_root r = root_of_unity(denominator - 4 * numerator, 4 * denominator);
    return {r.sine, r.cosine};
  }
  const long double angle =
      2 * std::numbers::pi_v<long double> * static_cast<long double>(numerator) / static_cast<long double>(denominator);
  const long double square = angle * angle;
  long double cosine = 0;
  long double sine = 0;
  for (int k = 26; k > 0; k -= 2) {
    cosine = (1 - cosine) * square / static_cast<long double>((k - 1) * k);
    sine = (1 - sine) * square / static_cast<long double>(k * (k + 1));
  }
  return {1 - cosine, angle * (1 - sine)};
}

}  // namespace weft::local
