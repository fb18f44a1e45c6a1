// SPDX-License-Identifier: BSD-3-Clause
#include "device/block_plan.hpp"

#include <map>
#include <mutex>
#include <tuple>

#include "device/kernels/fixed_plans.hpp"
#include "device/measured_plans.hpp"

namespace weft::device {

block_plan plan_of(int length, int real_bytes, plan_use use) {
  block_plan found;
  const bool measured = with_fixed(length, [&]<int Length>() {
    if (use == plan_use::across) {
      found =
          real_bytes == 4 ? numbers_of<across_length<float, Length>>() : numbers_of<across_length<double, Length>>();
    } else {
      found = real_bytes == 4 ? numbers_of<fixed_length<float, Length>>() : numbers_of<fixed_length<double, Length>>();
    }
  });
  if (measured) return found;
  static std::mutex lock;
  static std::map<std::tuple<int, int, plan_use>, block_plan> known;  // who plans asks again and again
  const std::lock_guard guard(lock);
  const auto [place, is_new] = known.try_emplace({length, real_bytes, use});
  if (is_new) place->second = best_known_plan(length, real_bytes, use);
  return place->second;
}

length_digits digits_of(std::int64_t length, int real_bytes) {
  for (auto second = std::int64_t{2}; second <= longest_planned; ++second) {
    if (length % second != 0 || second * second < length) continue;
    const auto has_plan = [&](std::int64_t n) {
      return n > 1 && plan_of(static_cast<int>(n), real_bytes, plan_use::chain).stages > 0;
    };
    if (has_plan(second) && has_plan(length / second)) {
      return {static_cast<int>(length / second), static_cast<int>(second)};
    }
  }
  return {};
}

bool has_kernels(int length) {
  return with_fixed(length, []<int>() {});
}

}  // namespace weft::device
