// SPDX-License-Identifier: BSD-3-Clause
// Multiplies rows of adjacent complex numbers by the roots of unity between the two passes of a long line.
#pragma once

#include "weft/index.hpp"

namespace weft::local {

/// Rows of `lanes` complex numbers. Element l of row k becomes row[k] * lane[k][l] times what it was; both tables
/// interleave real and imaginary parts, and `lane` has `lanes` numbers for each row. `from` has room for `lanes`
/// numbers in every row; of `to` only the first `kept` are written. Strides in complex numbers.
template <class Real>
struct row_turning {
  const Real* from = nullptr;
  integer from_stride = 0;
  Real* to = nullptr;
  integer to_stride = 0;
  integer rows = 0;
  integer lanes = 0;  ///< a multiple of the width of a vector
  integer kept = 0;
  const Real* row = nullptr;
  const Real* lane = nullptr;
};

void turn_rows(const row_turning<float>& what);
void turn_rows(const row_turning<double>& what);

}  // namespace weft::local
