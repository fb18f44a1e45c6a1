// SPDX-License-Identifier: BSD-3-Clause
// All ranks in one process, in lockstep: every rank starts an exchange before any consumes it. For
// tests with more ranks than a machine has.
#pragma once

#include <vector>

#include "exchange/engine.hpp"

namespace weft::exchange {

class loopback_member;

/// Where the ranks of one process find each other. The n-th exchange that each rank opens is the same
/// exchange; one that it opens again takes the number of the one that it closed.
class loopback_hub {
 public:
  explicit loopback_hub(int ranks) : exchanges_(static_cast<std::size_t>(ranks)) {}

 private:
  friend class loopback_member;
  std::vector<std::vector<loopback_member*>> exchanges_;  // by rank
};

/// Packed images, as the packed engines have.
extern const engine loopback_engine;
/// Plain arrays, as alltoallw has.
extern const engine loopback_plain_engine;

}  // namespace weft::exchange
