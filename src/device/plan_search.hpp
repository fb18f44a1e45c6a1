// SPDX-License-Identifier: BSD-3-Clause
// How to find out how blocks of threads may best work on lines of a length that nobody measured.
#pragma once

#include <cstdint>

#include "device/block_plan.hpp"
#include "device/kernels/fixed_stages.hpp"

namespace weft::device {

template <class Fixed>
[[nodiscard]] constexpr block_plan numbers_of() {
  using plan = typename Fixed::plan;
  block_plan found{plan::threads, Fixed::lanes, Fixed::blocks, plan::stages, {}};
  for (int s = 0; s < plan::stages; ++s) found.radix[s] = plan::radix(s);
  return found;
}

/// Bytes of a block's fast memory.
[[nodiscard]] constexpr std::int64_t work_bytes(const block_plan& by, int real_bytes) {
  return std::int64_t{2} * real_bytes *
         work_sizes::of(real_bytes, by.length(), by.threads, by.radix[0], by.lanes).places;
}

/// Looks for the plan that a multiprocessor of 64 Ki registers and 227 KiB of fast memory is thought to be fastest
/// with. The score is roughly a time, in copies of the array; its numbers come from some 500 plans that were measured
/// on an H200, see docs/gpu.md.
class plan_search {
 public:
  constexpr plan_search(int length, int real_bytes, plan_use use) : length_(length), bytes_(real_bytes), use_(use) {}

  /// Without stages if the length is 1, too long or has a factor over 13.
  [[nodiscard]] constexpr block_plan best() {
    const int longest = use_ == plan_use::across ? longest_planned : longest_row(bytes_);
    if (length_ > 1 && length_ <= longest) add_stages({}, length_, 32);
    return best_;
  }

  [[nodiscard]] constexpr double score(const block_plan& p) const {
    const int run = p.lanes * 2 * bytes_, held = p.registers(), more = p.stages - 2;
    double waste = -p.stages;
    bool powers = true;
    for (int s = 0; s < p.stages; ++s) {
      waste += static_cast<double>(p.slots(s)) * p.threads / length_;
      if (length_ / p.radix[s] % p.threads != 0) waste += 0.15;
      powers = powers && (p.radix[s] & (p.radix[s] - 1)) == 0;
    }
    const int threads = p.blocks * ((p.threads * p.lanes + 31) / 32 * 32),
              under_way = p.blocks * p.lanes * length_ * 2 * bytes_;
    const int lacking = bytes_ / 2 * held + (powers ? 24 : 32) - 65536 / threads / 8 * 8;
    double t = 0.3 * waste;
    if (under_way < (96 << 10)) t += 0.3 * (1 - static_cast<double>(under_way) / (96 << 10));
    if (use_ == plan_use::across) {
      t += run >= 256 ? 1.08 : run >= 128 ? 1.16 : run >= 64 ? 1.46 : run >= 32 ? 2.0 : 3.2;
      if (p.blocks == 1 && run >= 128) t += (run >= 256 ? 0.12 : 0.04) + 0.09 * more;
      t += 0.03 * more + (more > 1 ? 0.06 : 0) + (lacking > 0 ? 0.004 * lacking : 0);
      return t + (held > 14 ? (bytes_ == 8 ? 0.008 : 0.004) * (held - 14) : 0);
    }
    if (length_ > longest_chained) {  // rows alone: lanes make nothing longer
      t += 1.02 + 0.08 * more + (p.blocks >= 4 ? 0 : 0.1 * (4 - p.blocks)) + (lacking > 0 ? 0.012 * lacking : 0);
      return t + (held > 16 && !powers ? 0.01 * (held - 16) : 0) + 0.004 * p.lanes;
    }
    t += p.blocks >= 4 ? 1.76 : p.blocks == 3 ? 1.82 : p.blocks == 2 ? 1.95 : 2.4;
    if (run >= 256 && p.blocks == 2) t -= 0.1;
    t += run >= 128 ? 0 : run >= 64 ? 0.2 : 1.2;
    t += 0.08 * more + (more > 1 ? 0.35 : 0) + (lacking > 0 ? 0.012 * lacking : 0) - 0.004 * p.radix[0];
    if (held > 12 && !powers) t += (bytes_ == 8 ? 0.02 : 0.012) * (held - 12);
    return 32 % p.threads == 0 ? t - 0.08 : t;
  }

 private:
  static constexpr int radices[] = {32, 30, 28, 27, 25, 24, 21, 20, 18, 16, 15, 14,
                                    13, 12, 11, 10, 9,  8,  7,  6,  5,  4,  3,  2};

  constexpr void add_stages(block_plan so_far, int rest, int most) {
    if (rest == 1) return try_threads(so_far);
    if (so_far.stages == block_plan::most_stages) return;
    for (const int r : radices) {
      if (r > most || rest % r != 0) continue;
      block_plan next = so_far;
      next.radix[next.stages++] = r;
      if (rest / r > 1 && next.stages > 3 && r > 16) continue;  // four stages need none that are so large
      add_stages(next, rest / r, r);
    }
  }
  constexpr void try_threads(block_plan p) {
    for (int s = 0; s < p.stages; ++s) {
      for (int b = 1; b <= 16; ++b) {  // butterflies of that stage that a thread has
        const int count = length_ / p.radix[s];
        p.threads = (count + b - 1) / b;
        if (p.registers() > 32) break;
        if (p.threads <= 512) consider(p);
      }
    }
  }
  constexpr void consider(block_plan p) {
    bool powers = true;  // other butterflies need more registers besides
    for (int s = 0; s < p.stages; ++s) powers = powers && (p.radix[s] & (p.radix[s] - 1)) == 0;
    const int wide = 128 / (2 * bytes_), registers = bytes_ / 2 * p.registers() + (powers ? 22 : 36);
    const auto fits = [&](const block_plan& q, int blocks) {
      const int warps = (q.threads * q.lanes + 31) / 32;
      return warps <= 32 && blocks * warps * 32 * (registers < 255 ? (registers + 7) / 8 * 8 : 256) <= 65536 &&
             blocks * warps <= 64 && blocks * (work_bytes(q, bytes_) + 1024) <= std::int64_t{227} * 1024;
    };
    for (p.lanes = 4 * wide; p.lanes >= 1; p.lanes /= 2) {
      if ((p.lanes > wide && p.threads * p.lanes > 320) || (p.threads * p.lanes < 64 && p.lanes < 4 * wide)) continue;
      for (p.blocks = 5; p.blocks >= 1 && !fits(p, p.blocks);) --p.blocks;
      if (p.blocks == 0) continue;
      const double s = score(p);
      if (best_.stages == 0 || s < least_) {
        least_ = s;
        best_ = p;
      }
    }
  }

  int length_, bytes_;
  plan_use use_;
  double least_ = 0;
  block_plan best_;
};

}  // namespace weft::device
