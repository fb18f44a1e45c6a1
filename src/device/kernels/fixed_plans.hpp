// SPDX-License-Identifier: BSD-3-Clause
// The lengths that have kernels of their own, and how blocks work on them.
#pragma once

#include <utility>

#include "device/kernels/fixed_lines.hpp"

namespace weft::device {

template <class Real, int Length>
struct fixed_length;
template <>
struct fixed_length<double, 16> : fixed_block<fixed_plan<4, 4, 4>, 32, 4> {};
template <>
struct fixed_length<float, 16> : fixed_block<fixed_plan<4, 4, 4>, 32, 4> {};
template <>
struct fixed_length<double, 32> : fixed_block<fixed_plan<4, 8, 4>, 32, 4> {};
template <>
struct fixed_length<float, 32> : fixed_block<fixed_plan<4, 8, 4>, 32, 4> {};
template <>
struct fixed_length<double, 64> : fixed_block<fixed_plan<8, 8, 8>, 16, 4> {};
template <>
struct fixed_length<float, 64> : fixed_block<fixed_plan<8, 8, 8>, 32, 4> {};
template <>
struct fixed_length<double, 128> : fixed_block<fixed_plan<8, 16, 8>, 16, 5> {};
template <>
struct fixed_length<float, 128> : fixed_block<fixed_plan<8, 16, 8>, 32, 4> {};
template <>
struct fixed_length<double, 256> : fixed_block<fixed_plan<16, 16, 16>, 16, 2> {};
template <>
struct fixed_length<float, 256> : fixed_block<fixed_plan<16, 16, 16>, 16, 4> {};
template <>
struct fixed_length<double, 300> : fixed_block<fixed_plan<10, 30, 10>, 8, 4> {};
template <>
struct fixed_length<float, 300> : fixed_block<fixed_plan<10, 30, 10>, 16, 4> {};
template <>
struct fixed_length<double, 320> : fixed_block<fixed_plan<16, 4, 20, 4>, 8, 4> {};
template <>
struct fixed_length<float, 320> : fixed_block<fixed_plan<16, 20, 4, 4>, 16, 3> {};
template <>
struct fixed_length<double, 384> : fixed_block<fixed_plan<16, 8, 6, 8>, 8, 3> {};
template <>
struct fixed_length<float, 384> : fixed_block<fixed_plan<16, 24, 8, 2>, 16, 3> {};
template <>
struct fixed_length<double, 400> : fixed_block<fixed_plan<20, 20, 20>, 8, 3> {};
template <>
struct fixed_length<float, 400> : fixed_block<fixed_plan<20, 20, 20>, 16, 3> {};
template <>
struct fixed_length<double, 500> : fixed_block<fixed_plan<50, 10, 10, 5>, 4, 4> {};
template <>
struct fixed_length<float, 500> : fixed_block<fixed_plan<50, 10, 10, 5>, 8, 3> {};
template <>
struct fixed_length<double, 512> : fixed_block<fixed_plan<32, 8, 8, 8>, 8, 2> {};
template <>
struct fixed_length<float, 512> : fixed_block<fixed_plan<16, 32, 16>, 16, 2> {};
template <>
struct fixed_length<double, 768> : fixed_block<fixed_plan<32, 24, 8, 4>, 4, 3> {};
template <>
struct fixed_length<float, 768> : fixed_block<fixed_plan<32, 32, 24>, 8, 2> {};
template <>
struct fixed_length<double, 1024> : fixed_block<fixed_plan<32, 32, 32>, 4, 3> {};
template <>
struct fixed_length<float, 1024> : fixed_block<fixed_plan<32, 32, 32>, 8, 2> {};

/// The same for sweeps across the memory that stand alone: longer runs, and no other sweep that must overlap.
template <class Real, int Length>
struct across_length : fixed_length<Real, Length> {};
template <>
struct across_length<float, 256> : fixed_block<fixed_plan<8, 16, 16>, 32, 2> {};
template <>
struct across_length<double, 300> : fixed_block<fixed_plan<10, 30, 10>, 16, 2> {};
template <>
struct across_length<double, 320> : fixed_block<fixed_plan<20, 16, 20>, 16, 2> {};
template <>
struct across_length<double, 384> : fixed_block<fixed_plan<16, 32, 12>, 8, 2> {};
template <>
struct across_length<float, 384> : fixed_block<fixed_plan<16, 12, 8, 4>, 16, 2> {};
template <>
struct across_length<float, 400> : fixed_block<fixed_plan<20, 20, 5, 4>, 16, 2> {};
template <>
struct across_length<double, 500> : fixed_block<fixed_plan<50, 10, 10, 5>, 8, 2> {};
template <>
struct across_length<float, 500> : fixed_block<fixed_plan<25, 25, 20>, 16, 2> {};
template <>
struct across_length<double, 768> : fixed_block<fixed_plan<48, 16, 8, 6>, 8, 1> {};
template <>
struct across_length<float, 768> : fixed_block<fixed_plan<32, 32, 24>, 16, 1> {};
template <>
struct across_length<double, 1024> : fixed_block<fixed_plan<32, 32, 32>, 8, 1> {};
template <>
struct across_length<float, 1024> : fixed_block<fixed_plan<32, 32, 32>, 16, 1> {};

using fixed_lengths = std::integer_sequence<int, 16, 32, 64, 128, 256, 300, 320, 384, 400, 500, 512, 768, 1024>;

/// Calls visit.template operator()<Length>() if `length` has a kernel of its own; says whether.
template <class Visit, int... Length>
bool with_fixed_length(int length, const Visit& visit, std::integer_sequence<int, Length...> /*all*/ = {}) {
  return ((length == Length && (visit.template operator()<Length>(), true)) || ...);
}
template <class Visit>
bool with_fixed(int length, const Visit& visit) {
  return with_fixed_length(length, visit, fixed_lengths{});
}

}  // namespace weft::device
