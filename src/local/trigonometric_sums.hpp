// SPDX-License-Identifier: BSD-3-Clause
// Cosine and sine transforms as Fourier transforms of longer lines: the n elements of a line, times factors, stand
// somewhere among zeros; of what the Fourier transform makes of them, n values, times factors again, have the result
// as their real parts.
#pragma once

#include <complex>
#include <vector>

#include "index/line_kind.hpp"

namespace weft::local {

struct trigonometric_sum {
  integer length = 0;                               ///< of the Fourier transform
  integer first_in = 0, first_out = 0;              ///< where the elements stand, and the values
  std::vector<std::complex<double>> before, after;  ///< factors, one for each position of the longer line
};

/// Of a kind of real elements.
[[nodiscard]] trigonometric_sum sum_of(line_kind kind, integer n);

}  // namespace weft::local
