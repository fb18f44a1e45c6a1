// SPDX-License-Identifier: BSD-3-Clause
// For every instruction set, and the choice among them.
#include "local/simd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "local/simd/turned_rows.cpp"
#include <algorithm>
#include <cstdint>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "local/simd/turned_rows.hpp"
#include "local/simd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

/// A row of vectors of one place each, and what is left of one.
template <class Real>
void turn(const row_turning<Real>& what) {
  static_assert(width<Real> <= widest_row<Real>);
  constexpr integer numbers = width<Real>;
  const auto bits =
      reinterpret_cast<std::uintptr_t>(what.to) | (static_cast<std::uintptr_t>(what.to_stride) * (2 * sizeof(Real)));
  const bool stream = what.stream && bits % (sizeof(Real) * static_cast<std::uintptr_t>(numbers)) == 0;
  HWY_ALIGN Real part[static_cast<std::size_t>(2 * numbers)] = {};
  integer fine_row = what.first % what.fine_rows, coarse_row = what.first / what.fine_rows;
  for (integer k = 0; k < what.rows; ++k) {
    const Real* const coarse = what.coarse + 2 * coarse_row * what.lanes;
    const Real* const fine = what.fine + 2 * fine_row * what.lanes;
    const Real* const from = what.from + 2 * k * what.from_stride;
    Real* const to = what.to + 2 * k * what.to_stride;
    for (integer l = 0; l < what.kept; l += numbers) {
      const auto steps = load_row<Real>(coarse + 2 * l);
      const auto root = rotated<Real>(load_row<Real>(fine + 2 * l), steps.re, steps.im);
      if (l + numbers <= what.kept) {
        const auto value = rotated<Real>(load_row<Real>(from + 2 * l), root.re, root.im);
        stream ? stream_row<Real>(value, to + 2 * l) : store_row<Real>(value, to + 2 * l);
        continue;
      }
      std::copy_n(from + 2 * l, 2 * (what.kept - l), part);
      store_row<Real>(rotated<Real>(load_row<Real>(part), root.re, root.im), part);
      std::copy_n(part, 2 * (what.kept - l), to + 2 * l);
    }
    if (++fine_row == what.fine_rows) {
      fine_row = 0;
      ++coarse_row;
    }
  }
}

void turn_f32(const row_turning<float>& what) { turn(what); }
void turn_f64(const row_turning<double>& what) { turn(what); }

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::local {

HWY_EXPORT(turn_f32);
HWY_EXPORT(turn_f64);

void turn_rows(const row_turning<float>& what) { HWY_DYNAMIC_DISPATCH(turn_f32)(what); }
void turn_rows(const row_turning<double>& what) { HWY_DYNAMIC_DISPATCH(turn_f64)(what); }

}  // namespace weft::local
#endif
