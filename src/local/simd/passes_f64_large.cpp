// Instantiates the f64 passes of the large radices.
#include "local/simd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "local/simd/passes_f64_large.cpp"
#include "hwy/foreach_target.h"
#include "local/simd/passes-inl.hpp"

namespace weft::local::HWY_NAMESPACE {

template radix_passes<double> passes_of<double, 9>();
template radix_passes<double> passes_of<double, 10>();
template radix_passes<double> passes_of<double, 11>();
template radix_passes<double> passes_of<double, 12>();
template radix_passes<double> passes_of<double, 13>();
template radix_passes<double> passes_of<double, 15>();
template radix_passes<double> passes_of<double, 16>();

}  // namespace weft::local::HWY_NAMESPACE
