// Instantiates the f32 passes of the large radices.
#include "local/simd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "local/simd/passes_f32_large.cpp"
#include "hwy/foreach_target.h"
#include "local/simd/passes-inl.hpp"

namespace weft::local::HWY_NAMESPACE {

template radix_passes<float> passes_of<float, 9>();
template radix_passes<float> passes_of<float, 10>();
template radix_passes<float> passes_of<float, 11>();
template radix_passes<float> passes_of<float, 12>();
template radix_passes<float> passes_of<float, 13>();
template radix_passes<float> passes_of<float, 15>();
template radix_passes<float> passes_of<float, 16>();

}  // namespace weft::local::HWY_NAMESPACE
