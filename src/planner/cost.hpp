// What a schedule costs on a machine, from the real index sets.
#pragma once

#include "schedule/schedule.hpp"

namespace weft::planner {

/// Rates of one rank.
struct machine {
  double message_seconds = 2e-6;        ///< per message
  double byte_seconds = 1 / 5e9;        ///< per byte sent or received
  double pass_byte_seconds = 1 / 1e10;  ///< per byte of a pass over memory, read or written
  double flop_seconds = 1 / 5e9;
};

/// Seconds of one transform: the slowest rank of each stage, stage by stage.
[[nodiscard]] double price(const schedule& s, int ranks, precision element, const machine& on);

}  // namespace weft::planner
