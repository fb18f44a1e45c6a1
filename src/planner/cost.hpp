// What a schedule costs on a machine, from the real index sets.
#pragma once

#include <vector>

#include "exchange/messages.hpp"
#include "planner/machine.hpp"
#include "schedule/schedule.hpp"

namespace weft::planner {

/// One exchange of the rank that it costs most.
struct exchange_cost {
  exchange::traffic sent;
  double seconds = 0;
};

struct cost {
  double compute_seconds = 0;  ///< passes over memory and flops
  double exchange_seconds = 0;
  int passes = 0;  ///< over a rank's array
  std::vector<exchange_cost> exchanges;

  [[nodiscard]] double seconds() const { return compute_seconds + exchange_seconds; }
};

/// One transform: the slowest rank of each stage, stage by stage.
[[nodiscard]] cost cost_of(const schedule& s, int ranks, precision element, const machine& on);

}  // namespace weft::planner
