// SPDX-License-Identifier: BSD-3-Clause
#include "local/root_table.hpp"

#include <algorithm>

#include "local/simd/roots.hpp"

namespace weft::local {

template <class Real>
root_table<Real>::root_table(integer order) : order_(order) {
  while ((integer{1} << (2 * bits_)) < order) ++bits_;
  const auto root = [&](integer m) {
    const unit_root r = root_of_unity(m, order);
    return std::complex<Real>(static_cast<Real>(r.cosine), static_cast<Real>(-r.sine));
  };
  for (integer m = 0; m < std::min(order, integer{1} << bits_); ++m) fine_.push_back(root(m));
  for (integer m = 0; m < order; m += integer{1} << bits_) coarse_.push_back(root(m));
}

template <class Real>
std::complex<Real> root_table<Real>::operator()(integer m) const {
  const auto high = static_cast<std::size_t>(m >> bits_);
  const auto low = static_cast<std::size_t>(m & ((integer{1} << bits_) - 1));
  return product(coarse_[high], fine_[low]);
}

template <class Real>
row_turns<Real>::row_turns(integer length, int lanes)
    : lanes_((lanes + widest_row<Real> - 1) / widest_row<Real> * widest_row<Real>) {
  while (fine_rows_ * fine_rows_ < length) ++fine_rows_;
  coarse_rows_ = std::max<integer>(1, (length + fine_rows_ - 1) / fine_rows_);
}

template <class Real>
template <class Put>
void row_turns<Real>::each(int lane, integer start, integer shift, const root_table<Real>& roots, bool conjugate,
                           complex* tables, const Put& put) const {
  const auto root = [&](integer m) { return conjugate ? std::conj(roots(m)) : roots(m); };
  const auto sum = [order = roots.order()](integer a, integer b) { return a + b < order ? a + b : a + b - order; };
  complex* const fine = tables + coarse_rows_ * lanes_;
  integer m = 0;
  for (integer k = 0; k < fine_rows_; ++k, m = sum(m, shift)) put(fine[k * lanes_ + lane], root(m));
  const integer stride = m;
  m = start;
  for (integer k = 0; k < coarse_rows_; ++k, m = sum(m, stride)) put(tables[k * lanes_ + lane], root(m));
}

template <class Real>
void row_turns<Real>::set(int lane, integer start, integer shift, const root_table<Real>& roots, bool conjugate,
                          complex* tables) const {
  each(lane, start, shift, roots, conjugate, tables, [](complex& to, const complex& root) { to = root; });
}

template <class Real>
void row_turns<Real>::multiply(int lane, integer start, integer shift, const root_table<Real>& roots, bool conjugate,
                               complex* tables) const {
  each(lane, start, shift, roots, conjugate, tables, [](complex& to, const complex& root) { to = product(to, root); });
}

template <class Real>
void row_turns<Real>::turn(row_turning<Real> what, const complex* tables) const {
  what.lanes = lanes_;
  what.coarse = reinterpret_cast<const Real*>(tables);
  what.fine = reinterpret_cast<const Real*>(tables + coarse_rows_ * lanes_);
  what.fine_rows = fine_rows_;
  turn_rows(what);
}

template class root_table<float>;
template class root_table<double>;
template class root_table<long double>;
template class row_turns<float>;
template class row_turns<double>;

}  // namespace weft::local
