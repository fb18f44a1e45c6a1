// SPDX-License-Identifier: BSD-3-Clause
// Roots of unity of any order in little memory, and those that turn lines side by side.
#pragma once

#include <complex>
#include <vector>

#include "local/simd/turned_rows.hpp"
#include "weft/index.hpp"

namespace weft::local {

/// std::complex's own would look for infinities.
template <class Real>
[[nodiscard]] std::complex<Real> product(const std::complex<Real>& a, const std::complex<Real>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// exp(-2 pi i m/order) as a product of two roots that are in tables.
template <class Real>
class root_table {
 public:
  explicit root_table(integer order = 1);
  [[nodiscard]] integer order() const { return order_; }
  [[nodiscard]] std::complex<Real> operator()(integer m) const;  ///< 0 <= m < order

 private:
  integer order_;
  integer bits_ = 0;
  std::vector<std::complex<Real>> coarse_, fine_;
};

/// Factors for rows of some lines side by side, made for a few lines at a time: those of element k are products of one
/// for k / fine and one for k % fine, so that a line of n takes only about 2 sqrt(n) of them. A factor depends on k and
/// the line alone, not on which lines are its neighbours.
template <class Real>
class row_turns {
 public:
  using complex = std::complex<Real>;

  row_turns(integer length, int lanes);

  /// Complex numbers of the tables.
  [[nodiscard]] integer elements() const { return (coarse_rows_ + fine_rows_) * lanes_; }
  [[nodiscard]] integer lanes() const { return lanes_; }

  /// Element k of lane l gets the factor exp(-2 pi i (start + k shift)/order), or its conjugate. Both numbers are at
  /// least 0 and below the order.
  void set(int lane, integer start, integer shift, const root_table<Real>& roots, bool conjugate,
           complex* tables) const;
  /// That factor besides.
  void multiply(int lane, integer start, integer shift, const root_table<Real>& roots, bool conjugate,
                complex* tables) const;

  /// Turns rows as `what` says, which need not tell of tables.
  void turn(row_turning<Real> what, const complex* tables) const;

 private:
  template <class Put>
  void each(int lane, integer start, integer shift, const root_table<Real>& roots, bool conjugate, complex* tables,
            const Put& put) const;

  integer fine_rows_ = 1, coarse_rows_ = 1;
  integer lanes_;
};

}  // namespace weft::local
