// SPDX-License-Identifier: BSD-3-Clause
// The f32 kernels for every instruction set, and the choice among them.
#include "local/simd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "local/simd/kernels_f32.cpp"
#include "hwy/foreach_target.h"
#include "local/simd/kernels-inl.hpp"
#include "local/simd/native.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

int width_f32() { return static_cast<int>(width<float>); }
std::unique_ptr<kernel> make_f32(const line_problem& problem) { return make_kernel_of<float>(problem); }

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::local {

HWY_EXPORT(width_f32);
HWY_EXPORT(make_f32);

int native_width_f32() { return HWY_DYNAMIC_DISPATCH(width_f32)(); }
std::unique_ptr<kernel> make_native_kernel_f32(const line_problem& problem) {
  return HWY_DYNAMIC_DISPATCH(make_f32)(problem);
}

}  // namespace weft::local
#endif
