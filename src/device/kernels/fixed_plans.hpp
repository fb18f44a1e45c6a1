// SPDX-License-Identifier: BSD-3-Clause
// The lengths that have kernels of their own, and how blocks work on them.
#pragma once

#include <utility>

#include "device/kernels/lines.hpp"

namespace weft::device {

/// Lanes that make a run across lines as long as the memory likes, in each precision, and how many blocks of them a
/// multiprocessor should have room for. Measured, see docs/gpu.md.
template <class Plan, int Lanes64, int Lanes32, int Blocks64, int Blocks32>
struct fixed_block {
  using plan = Plan;
  static constexpr int lanes(std::size_t real_bytes) { return real_bytes == 8 ? Lanes64 : Lanes32; }
  static constexpr int blocks(std::size_t real_bytes) { return real_bytes == 8 ? Blocks64 : Blocks32; }
  static constexpr int threads(std::size_t real_bytes) { return Plan::threads * lanes(real_bytes); }
};

template <int Length>
struct fixed_length;
template <>
struct fixed_length<16> : fixed_block<fixed_plan<4, 4, 4>, 32, 32, 4, 4> {};
template <>
struct fixed_length<32> : fixed_block<fixed_plan<4, 8, 4>, 32, 32, 4, 4> {};
template <>
struct fixed_length<64> : fixed_block<fixed_plan<8, 8, 8>, 16, 32, 4, 4> {};
template <>
struct fixed_length<128> : fixed_block<fixed_plan<16, 16, 8>, 8, 16, 4, 4> {};
template <>
struct fixed_length<256> : fixed_block<fixed_plan<16, 16, 16>, 8, 16, 4, 4> {};
template <>
struct fixed_length<300> : fixed_block<fixed_plan<30, 10, 10, 3>, 8, 16, 3, 2> {};
template <>
struct fixed_length<320> : fixed_block<fixed_plan<20, 16, 10, 2>, 8, 16, 3, 3> {};
template <>
struct fixed_length<384> : fixed_block<fixed_plan<32, 12, 8, 4>, 8, 16, 2, 2> {};
template <>
struct fixed_length<400> : fixed_block<fixed_plan<40, 10, 10, 4>, 8, 16, 2, 2> {};
template <>
struct fixed_length<500> : fixed_block<fixed_plan<25, 10, 10, 5>, 8, 16, 2, 2> {};
template <>
struct fixed_length<512> : fixed_block<fixed_plan<32, 16, 8, 4>, 8, 16, 2, 2> {};
template <>
struct fixed_length<768> : fixed_block<fixed_plan<32, 8, 8, 12>, 4, 8, 3, 3> {};
template <>
struct fixed_length<1024> : fixed_block<fixed_plan<64, 16, 8, 8>, 4, 8, 2, 2> {};

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
