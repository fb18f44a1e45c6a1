// SPDX-License-Identifier: BSD-3-Clause
// The f64 kernels for every instruction set, and the choice among them.
#include "local/simd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "local/simd/kernels_f64.cpp"
#include "hwy/foreach_target.h"
#include "local/simd/kernels-inl.hpp"
#include "local/simd/native.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

int width_f64() { return static_cast<int>(width<double>); }
std::unique_ptr<kernel> make_f64(const line_problem& problem) { return make_kernel_of<double>(problem); }

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::local {

HWY_EXPORT(width_f64);
HWY_EXPORT(make_f64);

int native_width_f64() { return HWY_DYNAMIC_DISPATCH(width_f64)(); }
std::unique_ptr<kernel> make_native_kernel_f64(const line_problem& problem) {
  return HWY_DYNAMIC_DISPATCH(make_f64)(problem);
}

}  // namespace weft::local
#endif
