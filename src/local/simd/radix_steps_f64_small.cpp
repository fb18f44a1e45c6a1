// SPDX-License-Identifier: BSD-3-Clause
// Instantiates the f64 radix steps of the small radices.
#include "local/simd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "local/simd/radix_steps_f64_small.cpp"
#include "hwy/foreach_target.h"
#include "local/simd/radix_steps-inl.hpp"

namespace weft::local::HWY_NAMESPACE {

template radix_steps<double> steps_of<double, 2>();
template radix_steps<double> steps_of<double, 3>();
template radix_steps<double> steps_of<double, 4>();
template radix_steps<double> steps_of<double, 5>();
template radix_steps<double> steps_of<double, 6>();
template radix_steps<double> steps_of<double, 7>();
template radix_steps<double> steps_of<double, 8>();

}  // namespace weft::local::HWY_NAMESPACE
