// SPDX-License-Identifier: BSD-3-Clause
// A complex transform of one long line whose length has no suitable digits, such as a prime: Bluestein's convolution of
// a padded length that has them.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "local/long_fft.hpp"

namespace weft::local {

/// What does not depend on the direction. All kernels of a length share it while one of them lives: it takes three
/// lines of memory, and a transform to make.
template <class Real>
struct long_chirp_tables {
  std::vector<std::complex<Real>> chirp;     ///< exp(-pi i j^2/length)
  std::vector<std::complex<Real>> spectrum;  ///< of the conjugate, over the padded length, as it lies in work memory
};

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
  std::shared_ptr<const long_chirp_tables<Real>> tables_;
};

}  // namespace weft::local
