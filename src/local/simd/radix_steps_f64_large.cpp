// SPDX-License-Identifier: BSD-3-Clause
// Instantiates the f64 radix steps of the large radices.
#include "local/simd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "local/simd/radix_steps_f64_large.cpp"
#include "hwy/foreach_target.h"
#include "local/simd/radix_steps-inl.hpp"

namespace weft::local::HWY_NAMESPACE {

template radix_steps<double> steps_of<double, 9>();
template radix_steps<double> steps_of<double, 10>();
template radix_steps<double> steps_of<double, 11>();
template radix_steps<double> steps_of<double, 12>();
template radix_steps<double> steps_of<double, 13>();
template radix_steps<double> steps_of<double, 15>();
template radix_steps<double> steps_of<double, 16>();

}  // namespace weft::local::HWY_NAMESPACE
