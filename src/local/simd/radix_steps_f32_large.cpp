// SPDX-License-Identifier: BSD-3-Clause
// Instantiates the f32 radix steps of the large radices.
#include "local/simd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "local/simd/radix_steps_f32_large.cpp"
#include "hwy/foreach_target.h"
#include "local/simd/radix_steps-inl.hpp"

namespace weft::local::HWY_NAMESPACE {

template radix_steps<float> steps_of<float, 9>();
template radix_steps<float> steps_of<float, 10>();
template radix_steps<float> steps_of<float, 11>();
template radix_steps<float> steps_of<float, 12>();
template radix_steps<float> steps_of<float, 13>();
template radix_steps<float> steps_of<float, 15>();
template radix_steps<float> steps_of<float, 16>();

}  // namespace weft::local::HWY_NAMESPACE
