// All ranks in one process, in lockstep: every rank starts an exchange before any consumes it. For
// tests with more ranks than a machine has, and for planning without MPI.
#pragma once

#include <vector>

#include "exchange/engine.hpp"

namespace weft::exchange {

class loopback_exchange;

/// Where the ranks of one process find each other. The n-th exchange that each rank makes is the same
/// exchange; one that it makes again takes the number of the one that it threw away.
class loopback_hub {
 public:
  explicit loopback_hub(int ranks) : exchanges_(static_cast<std::size_t>(ranks)) {}

 private:
  friend class loopback_exchange;
  std::vector<std::vector<loopback_exchange*>> exchanges_;  // by rank
};

/// Packed images, as the packed engines have.
[[nodiscard]] const engine& loopback_engine();
/// Plain arrays, as alltoallw has.
[[nodiscard]] const engine& loopback_plain_engine();

}  // namespace weft::exchange
