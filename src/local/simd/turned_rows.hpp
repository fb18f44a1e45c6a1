// SPDX-License-Identifier: BSD-3-Clause
// Multiplies rows of adjacent complex numbers, one of each of several lines, by roots of unity.
#pragma once

#include "weft/index.hpp"

namespace weft::local {

/// Element l of row k becomes coarse[k / fine_rows][l] * fine[k % fine_rows][l] times what it was, whatever else there
/// is in its row. Tables have rows of `lanes` numbers, real and imaginary parts interleaved; strides count complex
/// numbers.
template <class Real>
struct row_turning {
  const Real* from = nullptr;  ///< row `first`; may be `to`
  integer from_stride = 0;
  Real* to = nullptr;
  integer to_stride = 0;
  integer first = 0;
  integer rows = 0;
  integer kept = 0;   ///< numbers of a row
  integer lanes = 0;  ///< of the tables; at least `kept`, and a multiple of the widest vector
  const Real* coarse = nullptr;
  const Real* fine = nullptr;
  integer fine_rows = 1;
  bool stream = false;  ///< store past the caches, where addresses allow
};

/// In complex numbers, whatever the processor.
template <class Real>
inline constexpr integer widest_row = 64 / static_cast<integer>(sizeof(Real));

void turn_rows(const row_turning<float>& what);
void turn_rows(const row_turning<double>& what);

}  // namespace weft::local
