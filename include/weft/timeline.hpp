// SPDX-License-Identifier: BSD-3-Clause
// What a rank did when: the record of a plan's transforms.
#pragma once

#include <chrono>
#include <string>

#include "weft/types.hpp"

namespace [[gnu::visibility("default")]] weft {

enum class activity : char {
  transform,  ///< a pass that transforms
  copy,       ///< a pass that only moves elements within the rank
  exchange,   ///< begins an exchange or, with an engine that blocks, does all of it, waiting included
  wait,       ///< for messages or for other ranks, and nothing else
  download,   ///< a copy from a device's memory to the host's, by the device, beside the exchange that it is part of
  upload      ///< the other way
};

/// Whether the rank does something else meanwhile.
[[nodiscard]] constexpr bool is_beside(activity kind) { return kind == activity::download || kind == activity::upload; }

/// A stretch of time in which a rank did one thing. What it does in the middle of a pass while a message is
/// missing is an entry of its own, of the pass's stage, and so is the rest of the pass. Entries follow each other, but
/// for copies between a device and the host, which run beside an exchange.
struct timeline_entry {
  direction way = direction::forward;
  int call = 0;       ///< number of this forward(), or this backward(), since recording began
  int position = 0;   ///< of the stage among those of its direction
  std::string stage;  ///< as in stage_times()
  activity kind = activity::transform;
  /// By this rank's clock. Ranks of one node share it; on other nodes it starts at another moment.
  std::chrono::steady_clock::time_point begin, end;
};

}  // namespace weft
