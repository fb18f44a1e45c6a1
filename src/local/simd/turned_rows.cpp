// SPDX-License-Identifier: BSD-3-Clause
// For every instruction set, and the choice among them.
#include "local/simd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "local/simd/turned_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "local/simd/turned_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Real>
void turn(const row_turning<Real>& what) {
  const hn::ScalableTag<Real> d;
  constexpr auto width = static_cast<integer>(hn::MaxLanes(d));
  HWY_ALIGN Real last[2 * width];
  for (integer k = 0; k < what.rows; ++k) {
    const auto row_re = hn::Set(d, what.row[2 * k]);
    const auto row_im = hn::Set(d, what.row[2 * k + 1]);
    const Real* const from = what.from + 2 * k * what.from_stride;
    const Real* const lane = what.lane + 2 * k * what.lanes;
    Real* const to = what.to + 2 * k * what.to_stride;
    for (integer l = 0; l < what.kept; l += width) {
      hn::Vec<decltype(d)> re, im, lane_re, lane_im;
      hn::LoadInterleaved2(d, from + 2 * l, re, im);
      hn::LoadInterleaved2(d, lane + 2 * l, lane_re, lane_im);
      const auto turn_re = hn::NegMulAdd(lane_im, row_im, hn::Mul(lane_re, row_re));
      const auto turn_im = hn::MulAdd(lane_im, row_re, hn::Mul(lane_re, row_im));
      const auto out_re = hn::NegMulAdd(im, turn_im, hn::Mul(re, turn_re));
      const auto out_im = hn::MulAdd(im, turn_re, hn::Mul(re, turn_im));
      if (l + width <= what.kept) {
        hn::StoreInterleaved2(out_re, out_im, d, to + 2 * l);
        continue;
      }
      hn::StoreInterleaved2(out_re, out_im, d, last);
      for (integer i = 0; i < 2 * (what.kept - l); ++i) to[2 * l + i] = last[i];
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
