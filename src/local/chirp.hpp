// SPDX-License-Identifier: BSD-3-Clause
// A complex transform of one long line whose length has no suitable digits, such as a prime: Bluestein's convolution of
// a padded length that has them.
#pragma once

#include "local/long_fft.hpp"

namespace weft::local {

template <class Real>
class long_chirp {
 public:
  using complex = std::complex<Real>;

  long_chirp(integer length, bool forward, const line_engine& by, int threads, double scale);

  [[nodiscard]] integer work_elements() const { return there_.work_elements(); }
  [[nodiscard]] std::size_t scratch_bytes() const { return std::max(there_.scratch_bytes(), back_.scratch_bytes()); }

  /// All is loaded before the first is stored.
  void transform(const strided_line& from, const strided_line& to, complex* work, std::byte* scratch) const;

 private:
  /// As a convolution whose length has these digits.
  long_chirp(integer length, line_digits digits, bool forward, const line_engine& by, int threads, double scale);

  integer length_;
  bool forward_;
  int threads_;
  long_fft<Real> there_, back_;
  Real scale_;
  std::vector<complex> chirp_;     // exp(-pi i j^2/length)
  std::vector<complex> spectrum_;  // of the conjugate chirp, over the padded length, as it lies in work memory
};

}  // namespace weft::local
