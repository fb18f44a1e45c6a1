// SPDX-License-Identifier: BSD-3-Clause
// The least time a transform can take on this machine: what must move at the speed of a copy, and what must be
// computed at the speed of lines that are in cache already.
#pragma once

#include <optional>
#include <string>

#include "ranks.hpp"
#include "weft/problem.hpp"

namespace weft::tool {

struct time_floor {
  int passes = 1;        ///< times that every element is loaded and stored
  double bytes = 0;      ///< loaded and stored in these, by all ranks together
  double bandwidth = 0;  ///< of copies, bytes per second, loads and stores counted
  double flops = 0;      ///< 5 V log2 N, half of it for real input
  double rate = 0;       ///< of transforms in cache, per second; 0 where there are no flops

  [[nodiscard]] double seconds() const { return bytes / bandwidth + (flops > 0 ? flops / rate : 0); }
};

/// Collective; takes a few tens of milliseconds for each length. All ranks measure at once, with `threads` threads
/// each, and the slowest counts. Lines are transformed by the local engine of that name. None for an empty array.
[[nodiscard]] std::optional<time_floor> measure_floor(const problem& what, const std::string& engine_name, int threads,
                                                      const ranks& all);

}  // namespace weft::tool
