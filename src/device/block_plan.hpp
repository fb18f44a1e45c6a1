// SPDX-License-Identifier: BSD-3-Clause
// How blocks of threads work on lines of one length, in numbers.
#pragma once

#include <cstdint>

namespace weft::device {

/// What fixed_plan and fixed_block have as parameters.
struct block_plan {
  static constexpr int most_stages = 8;
  int threads = 0;            ///< of a lane
  int lanes = 0, blocks = 0;  ///< of a block; on a multiprocessor
  int stages = 0;             ///< none: there is no plan
  int radix[most_stages] = {};

  [[nodiscard]] constexpr int length() const {
    int product = stages > 0 ? 1 : 0;
    for (int s = 0; s < stages; ++s) product *= radix[s];
    return product;
  }
  [[nodiscard]] constexpr int slots(int stage) const {  ///< elements that a thread has room for
    return (length() / radix[stage] + threads - 1) / threads * radix[stage];
  }
  [[nodiscard]] constexpr int registers() const {
    int most = 0;
    for (int s = 0; s < stages; ++s) most = most < slots(s) ? slots(s) : most;
    return most;
  }
  friend constexpr bool operator==(const block_plan&, const block_plan&) = default;
};

/// What it is for: sweeps across the memory that stand alone, or all others, two from one queue above all.
enum class plan_use : char { chain, across };
/// Longer lines leave too little room on a multiprocessor for two sweeps to overlap.
inline constexpr int longest_chained = 1024;
inline constexpr int longest_planned = 4096;
/// Rows alone may be so long: a block has room for one.
[[nodiscard]] constexpr int longest_row(int real_bytes) { return (64 << 10) / real_bytes; }

/// That of a length: measured, if it is one whose kernels are compiled with the library, or thought to be the fastest.
/// Without stages if the length is 1, too long or has a factor over 13: over longest_planned there are plans for rows
/// only, by plan_use::chain, and not for all. `real_bytes`: 8 or 4.
[[nodiscard]] block_plan plan_of(int length, int real_bytes, plan_use use);
/// Two whose product is the length, as equal as they can be, the first one no longer than the second, each of which has
/// a plan; zeros if there are none.
struct length_digits {
  int first = 0, second = 0;
};
[[nodiscard]] length_digits digits_of(std::int64_t length, int real_bytes);
/// Whether kernels for the length are compiled with the library.
[[nodiscard]] bool has_kernels(int length);

}  // namespace weft::device
