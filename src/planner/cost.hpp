// What a schedule costs on a machine, from the real index sets.
#pragma once

#include <vector>

#include "exchange/engine.hpp"
#include "exchange/messages.hpp"
#include "planner/machine.hpp"
#include "schedule/schedule.hpp"

namespace weft::planner {

/// What one rank sends and receives in an exchange, and how many runs of adjacent elements its array falls into.
struct load {
  exchange::traffic sent, received;
  double runs = 0;
};

/// An exchange as some ranks, which stand for all, take part in it.
struct exchange_cost {
  std::vector<load> loads;
};

/// What does not depend on the engines.
struct cost {
  double compute_seconds = 0;  ///< passes over memory and flops
  int passes = 0;              ///< over a rank's array
  std::vector<exchange_cost> exchanges;
};

/// One transform: the slowest rank of each stage, stage by stage.
[[nodiscard]] cost cost_of(const schedule& s, int ranks, precision element, const machine& on);

/// An exchange by one engine, as the rank that it costs most sees it.
struct exchange_price {
  double seconds = 0;
  exchange::traffic sent;
};
[[nodiscard]] exchange_price price_of(const exchange_cost& moved, const exchange::engine& by, int ranks,
                                      precision element, const machine& on);

}  // namespace weft::planner
