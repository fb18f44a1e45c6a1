// SPDX-License-Identifier: BSD-3-Clause
// Plans of lengths that the search for them does not find the fastest for: of those that were measured on an H200
// (docs/gpu.md), the ones that were at least 2% faster than what it finds.
#pragma once

#include <cstddef>
#include <utility>

#include "device/plan_search.hpp"

namespace weft::device {

struct measured_plan {
  plan_use use;
  int real_bytes;
  block_plan plan;
};

inline constexpr measured_plan measured_plans[] = {
    {plan_use::chain, 8, {8, 32, 3, 3, {12, 4, 2}}},       {plan_use::across, 4, {5, 32, 5, 2, {10, 10}}},
    {plan_use::chain, 4, {10, 32, 4, 2, {10, 10}}},        {plan_use::chain, 8, {12, 16, 4, 2, {12, 9}}},
    {plan_use::chain, 8, {12, 16, 4, 2, {12, 10}}},        {plan_use::across, 4, {8, 32, 4, 3, {8, 5, 3}}},
    {plan_use::chain, 4, {8, 32, 4, 3, {8, 5, 3}}},        {plan_use::across, 8, {5, 32, 2, 2, {25, 5}}},
    {plan_use::chain, 8, {25, 16, 3, 3, {5, 5, 5}}},       {plan_use::chain, 8, {12, 16, 4, 2, {12, 12}}},
    {plan_use::across, 8, {5, 32, 2, 2, {30, 5}}},         {plan_use::chain, 8, {15, 8, 5, 2, {15, 10}}},
    {plan_use::across, 8, {10, 16, 3, 2, {16, 10}}},       {plan_use::across, 4, {8, 32, 3, 3, {10, 4, 4}}},
    {plan_use::chain, 4, {8, 16, 6, 2, {20, 8}}},          {plan_use::chain, 8, {8, 16, 4, 2, {24, 7}}},
    {plan_use::across, 8, {6, 16, 4, 2, {30, 6}}},         {plan_use::chain, 8, {16, 8, 4, 2, {16, 12}}},
    {plan_use::chain, 4, {8, 32, 3, 2, {24, 8}}},          {plan_use::chain, 8, {10, 16, 3, 2, {20, 10}}},
    {plan_use::chain, 4, {16, 16, 4, 2, {16, 15}}},        {plan_use::chain, 8, {25, 8, 4, 3, {10, 5, 5}}},
    {plan_use::across, 4, {25, 16, 3, 3, {10, 5, 5}}},     {plan_use::chain, 4, {25, 16, 3, 3, {10, 5, 5}}},
    {plan_use::chain, 8, {18, 8, 4, 2, {18, 15}}},         {plan_use::across, 8, {10, 16, 2, 2, {28, 10}}},
    {plan_use::chain, 8, {20, 8, 3, 2, {20, 14}}},         {plan_use::across, 4, {12, 32, 2, 2, {24, 12}}},
    {plan_use::chain, 8, {18, 8, 4, 2, {18, 18}}},         {plan_use::across, 8, {14, 16, 2, 2, {28, 12}}},
    {plan_use::chain, 8, {49, 4, 5, 3, {7, 7, 7}}},        {plan_use::across, 4, {49, 16, 2, 3, {7, 7, 7}}},
    {plan_use::across, 8, {35, 8, 2, 3, {14, 5, 5}}},      {plan_use::chain, 8, {14, 8, 3, 2, {25, 14}}},
    {plan_use::across, 8, {45, 8, 2, 3, {9, 8, 5}}},       {plan_use::across, 4, {20, 16, 2, 2, {20, 18}}},
    {plan_use::chain, 4, {20, 16, 3, 2, {20, 18}}},        {plan_use::across, 8, {25, 8, 2, 3, {15, 5, 5}}},
    {plan_use::chain, 8, {15, 8, 3, 3, {25, 5, 3}}},       {plan_use::across, 8, {56, 8, 2, 3, {8, 7, 7}}},
    {plan_use::chain, 8, {14, 8, 3, 2, {28, 14}}},         {plan_use::chain, 8, {15, 8, 3, 2, {27, 15}}},
    {plan_use::chain, 8, {15, 8, 3, 2, {30, 14}}},         {plan_use::across, 4, {18, 16, 2, 3, {12, 6, 6}}},
    {plan_use::chain, 4, {36, 8, 4, 3, {12, 6, 6}}},       {plan_use::chain, 8, {16, 8, 3, 2, {32, 14}}},
    {plan_use::across, 8, {16, 8, 3, 2, {32, 15}}},        {plan_use::across, 8, {27, 8, 2, 3, {9, 9, 6}}},
    {plan_use::chain, 8, {27, 4, 4, 3, {18, 9, 3}}},       {plan_use::across, 8, {30, 8, 2, 3, {10, 9, 6}}},
    {plan_use::chain, 8, {60, 4, 3, 3, {12, 9, 5}}},       {plan_use::across, 4, {30, 16, 2, 3, {20, 9, 3}}},
    {plan_use::chain, 4, {30, 8, 3, 3, {20, 9, 3}}},       {plan_use::across, 8, {28, 8, 2, 2, {28, 20}}},
    {plan_use::chain, 8, {40, 4, 4, 3, {16, 7, 5}}},       {plan_use::chain, 4, {24, 8, 4, 2, {24, 24}}},
    {plan_use::across, 8, {28, 8, 2, 2, {28, 21}}},        {plan_use::chain, 8, {28, 8, 2, 2, {28, 21}}},
    {plan_use::across, 4, {25, 16, 2, 2, {25, 24}}},       {plan_use::chain, 4, {25, 8, 3, 2, {25, 24}}},
    {plan_use::across, 8, {43, 8, 2, 3, {16, 8, 5}}},      {plan_use::chain, 8, {32, 4, 4, 3, {20, 8, 4}}},
    {plan_use::across, 4, {32, 16, 1, 2, {32, 20}}},       {plan_use::chain, 4, {32, 8, 3, 3, {20, 8, 4}}},
    {plan_use::across, 8, {27, 8, 2, 2, {27, 24}}},        {plan_use::chain, 8, {27, 8, 2, 2, {27, 24}}},
    {plan_use::across, 8, {28, 8, 2, 2, {28, 24}}},        {plan_use::chain, 8, {28, 8, 2, 2, {28, 24}}},
    {plan_use::across, 8, {28, 8, 2, 2, {28, 25}}},        {plan_use::chain, 8, {28, 4, 3, 2, {28, 25}}},
    {plan_use::across, 8, {30, 8, 2, 3, {24, 6, 5}}},      {plan_use::chain, 4, {48, 8, 3, 3, {16, 15, 3}}},
    {plan_use::chain, 8, {30, 4, 3, 2, {30, 25}}},         {plan_use::across, 8, {32, 8, 1, 2, {32, 25}}},
    {plan_use::chain, 8, {32, 4, 3, 2, {32, 25}}},         {plan_use::chain, 4, {32, 8, 2, 2, {32, 25}}},
    {plan_use::chain, 8, {32, 4, 3, 2, {32, 27}}},         {plan_use::across, 4, {32, 16, 1, 2, {32, 27}}},
    {plan_use::chain, 4, {32, 8, 2, 2, {32, 27}}},         {plan_use::across, 8, {35, 4, 2, 3, {25, 7, 5}}},
    {plan_use::chain, 8, {35, 4, 3, 3, {25, 7, 5}}},       {plan_use::across, 8, {54, 8, 1, 3, {18, 9, 6}}},
    {plan_use::chain, 8, {100, 4, 2, 3, {10, 10, 10}}},    {plan_use::chain, 4, {50, 8, 2, 3, {20, 10, 5}}},
    {plan_use::across, 8, {90, 8, 1, 3, {15, 12, 6}}},     {plan_use::chain, 8, {60, 4, 2, 3, {20, 9, 6}}},
    {plan_use::chain, 8, {48, 4, 2, 3, {24, 24, 2}}},      {plan_use::chain, 8, {80, 4, 2, 3, {16, 15, 5}}},
    {plan_use::across, 4, {60, 16, 1, 3, {20, 20, 3}}},    {plan_use::chain, 4, {60, 8, 2, 3, {20, 20, 3}}},
    {plan_use::across, 8, {86, 8, 1, 3, {16, 16, 5}}},     {plan_use::chain, 8, {64, 4, 2, 3, {20, 8, 8}}},
    {plan_use::across, 8, {108, 8, 1, 4, {12, 6, 6, 3}}},  {plan_use::chain, 8, {54, 4, 2, 3, {27, 24, 2}}},
    {plan_use::chain, 8, {60, 4, 2, 3, {24, 12, 5}}},      {plan_use::across, 8, {50, 4, 1, 3, {15, 10, 10}}},
    {plan_use::chain, 8, {100, 4, 1, 3, {20, 15, 5}}},     {plan_use::chain, 4, {50, 2, 4, 3, {30, 10, 5}}},
    {plan_use::chain, 8, {96, 4, 1, 3, {16, 16, 6}}},      {plan_use::chain, 4, {64, 2, 6, 3, {24, 8, 8}}},
    {plan_use::across, 8, {100, 4, 1, 3, {25, 20, 4}}},    {plan_use::chain, 4, {100, 1, 6, 3, {20, 20, 5}}},
    {plan_use::chain, 8, {128, 1, 5, 3, {16, 16, 8}}},     {plan_use::chain, 4, {64, 1, 6, 3, {32, 8, 8}}},
    {plan_use::across, 8, {100, 4, 1, 3, {25, 12, 8}}},    {plan_use::chain, 8, {120, 1, 4, 3, {24, 10, 10}}},
    {plan_use::across, 8, {250, 4, 1, 4, {10, 10, 5, 5}}}, {plan_use::chain, 8, {125, 1, 4, 3, {25, 20, 5}}},
    {plan_use::across, 8, {86, 4, 1, 3, {32, 10, 8}}},     {plan_use::chain, 8, {160, 1, 3, 3, {20, 16, 8}}},
    {plan_use::chain, 4, {200, 1, 4, 3, {20, 15, 10}}},    {plan_use::across, 8, {128, 4, 1, 4, {12, 8, 8, 4}}},
    {plan_use::chain, 8, {256, 1, 2, 3, {16, 16, 12}}},    {plan_use::chain, 8, {240, 1, 2, 3, {16, 15, 15}}},
    {plan_use::across, 8, {160, 2, 1, 3, {32, 25, 5}}},    {plan_use::chain, 8, {256, 1, 2, 3, {16, 16, 16}}},
    {plan_use::across, 4, {128, 4, 1, 4, {32, 32, 2, 2}}}, {plan_use::chain, 4, {256, 1, 3, 3, {16, 16, 16}}},
};

/// For a length that no kernels are compiled for with the library.
[[nodiscard]] constexpr block_plan best_known_plan(int length, int real_bytes, plan_use use) {
  for (const auto& m : measured_plans) {
    if (m.use == use && m.real_bytes == real_bytes && m.plan.length() == length) return m.plan;
  }
  return plan_search(length, real_bytes, use).best();
}

/// The same as a type, where the length is known when this is compiled.
template <class Real, int Length, plan_use Use>
struct best_known {
  static constexpr block_plan found = best_known_plan(Length, static_cast<int>(sizeof(Real)), Use);
  template <std::size_t... Stage>
  static auto as_type(std::index_sequence<Stage...>)
      -> fixed_block<fixed_plan<found.threads, found.radix[Stage]...>, found.lanes, found.blocks>;
  using type = decltype(as_type(std::make_index_sequence<std::size_t{found.stages}>()));
};

}  // namespace weft::device
