// SPDX-License-Identifier: BSD-3-Clause
// A complex transform of one long line whose length has no suitable digits, such as a prime: Bluestein's convolution of
// a padded length 2m, of which half the input is zero and half the output is not wanted. So it is two convolutions of
// length m, one for the even modes and one for the odd ones, in the same work memory one after the other.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "local/long_fft.hpp"

namespace weft::local {

/// What does not depend on the direction. All kernels of a length share it while one of them lives: it takes a line of
/// memory, and two transforms to make.
template <class Real>
struct long_chirp_tables {
  /// Spectra of the chirp's conjugate over the padded length, even modes and odd ones, as they lie in work memory. They
  /// are symmetric, and only the first half of the rows is there.
  std::vector<std::complex<Real>> spectrum[2];
  /// Where in them elements of a row of work memory begin, and whether they run backwards.
  struct part {
    const std::complex<Real>* first;
    bool reversed;
  };
  [[nodiscard]] part of_row(int odd, integer number, line_digits digits) const;
};

template <class Real>
class long_chirp {
 public:
  using complex = std::complex<Real>;

  long_chirp(integer length, bool forward, const line_engine& by, int threads, double scale);

  /// The last `length` of them are for lines in place, and are not touched otherwise.
  [[nodiscard]] integer work_elements() const { return there_.work_elements() + length_; }
  [[nodiscard]] std::size_t scratch_bytes() const { return std::max(there_.scratch_bytes(), back_.scratch_bytes()); }

  /// As if all were loaded before the first is stored.
  void transform(const strided_line& from, const strided_line& to, complex* work, std::byte* scratch) const;

 private:
  /// By convolutions whose length has these digits.
  long_chirp(integer length, line_digits digits, bool forward, const line_engine& by, int threads, double scale);
  [[nodiscard]] bool overlap(const strided_line& from, const strided_line& to) const;
  /// One of the two, from the line to the line: the second adds to what the first has stored.
  template <int Odd>
  void convolve(const strided_line& from, const strided_line& to, complex* work, std::byte* scratch) const;

  integer length_;
  line_digits digits_;
  bool forward_;
  int threads_;
  long_fft<Real> there_, back_;
  double scale_;
  root_table<double> chirp_;  ///< exp(-pi i j^2/length) for j^2
  root_table<double> turns_;  ///< between even and odd modes
  std::shared_ptr<const long_chirp_tables<Real>> tables_;
};

}  // namespace weft::local
