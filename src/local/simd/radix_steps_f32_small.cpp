// SPDX-License-Identifier: BSD-3-Clause
// Instantiates the f32 radix steps of the small radices.
#include "local/simd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "local/simd/radix_steps_f32_small.cpp"
#include "hwy/foreach_target.h"
#include "local/simd/radix_steps-inl.hpp"

namespace weft::local::HWY_NAMESPACE {

template radix_steps<float> steps_of<float, 2>();
template radix_steps<float> steps_of<float, 3>();
template radix_steps<float> steps_of<float, 4>();
template radix_steps<float> steps_of<float, 5>();
template radix_steps<float> steps_of<float, 6>();
template radix_steps<float> steps_of<float, 7>();
template radix_steps<float> steps_of<float, 8>();

}  // namespace weft::local::HWY_NAMESPACE
