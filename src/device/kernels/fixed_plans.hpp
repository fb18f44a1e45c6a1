// SPDX-License-Identifier: BSD-3-Clause
// The lengths that have kernels of their own, and how blocks work on them.
#pragma once

#include <utility>

#include "device/kernels/fixed_lines.hpp"

namespace weft::device {

/// How blocks work on lines of a length in one precision: lanes make a run across lines as long as the memory likes,
/// and a multiprocessor should have room for so many blocks. Measured, see docs/gpu.md.
template <class Plan, int Lanes, int Blocks>
struct fixed_block {
  using plan = Plan;
  static constexpr int lanes = Lanes, blocks = Blocks, threads = Plan::threads * Lanes;
};

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
struct fixed_length<double, 128> : fixed_block<fixed_plan<16, 16, 8>, 8, 4> {};
template <>
struct fixed_length<float, 128> : fixed_block<fixed_plan<16, 16, 8>, 16, 4> {};
template <>
struct fixed_length<double, 256> : fixed_block<fixed_plan<16, 16, 16>, 16, 2> {};
template <>
struct fixed_length<float, 256> : fixed_block<fixed_plan<16, 16, 16>, 16, 4> {};
template <>
struct fixed_length<double, 300> : fixed_block<fixed_plan<30, 10, 10, 3>, 8, 3> {};
template <>
struct fixed_length<float, 300> : fixed_block<fixed_plan<30, 10, 10, 3>, 16, 2> {};
template <>
struct fixed_length<double, 320> : fixed_block<fixed_plan<20, 16, 20>, 16, 2> {};
template <>
struct fixed_length<float, 320> : fixed_block<fixed_plan<16, 20, 4, 4>, 16, 3> {};
template <>
struct fixed_length<double, 384> : fixed_block<fixed_plan<16, 8, 6, 8>, 8, 3> {};
template <>
struct fixed_length<float, 384> : fixed_block<fixed_plan<16, 8, 8, 6>, 16, 2> {};
template <>
struct fixed_length<double, 400> : fixed_block<fixed_plan<40, 10, 10, 4>, 8, 2> {};
template <>
struct fixed_length<float, 400> : fixed_block<fixed_plan<40, 10, 10, 4>, 16, 2> {};
template <>
struct fixed_length<double, 500> : fixed_block<fixed_plan<25, 10, 10, 5>, 8, 2> {};
template <>
struct fixed_length<float, 500> : fixed_block<fixed_plan<25, 10, 10, 5>, 16, 2> {};
template <>
struct fixed_length<double, 512> : fixed_block<fixed_plan<32, 8, 8, 8>, 8, 2> {};
template <>
struct fixed_length<float, 512> : fixed_block<fixed_plan<16, 32, 16>, 16, 2> {};
template <>
struct fixed_length<double, 768> : fixed_block<fixed_plan<32, 12, 8, 8>, 4, 3> {};
template <>
struct fixed_length<float, 768> : fixed_block<fixed_plan<32, 12, 8, 8>, 8, 3> {};
template <>
struct fixed_length<double, 1024> : fixed_block<fixed_plan<32, 32, 32>, 8, 1> {};
template <>
struct fixed_length<float, 1024> : fixed_block<fixed_plan<32, 32, 32>, 16, 1> {};

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
