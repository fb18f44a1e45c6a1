// SPDX-License-Identifier: BSD-3-Clause
// How much the ranks move in an exchange, counted without making the messages.
#pragma once

#include <vector>

#include "exchange/messages.hpp"

namespace weft::exchange {

/// Messages and elements that one rank moves to or from others: those of its node, `ranks_per_node`
/// neighbouring ranks each, and further ones.
struct traffic {
  integer near_messages = 0, near_elements = 0;
  integer far_messages = 0, far_elements = 0;

  [[nodiscard]] integer elements() const { return near_elements + far_elements; }
  friend bool operator==(const traffic&, const traffic&) = default;
};

/// Counts for one exchange, any number of ranks. The distributions must outlive it.
class traffic_counter {
 public:
  traffic_counter(const distribution& from, const distribution& to, int ranks_per_node)
      : from_(from), to_(to), ranks_per_node_(ranks_per_node) {}

  [[nodiscard]] traffic sent(int rank) const { return between(from_, to_, rank); }
  [[nodiscard]] traffic received(int rank) const { return between(to_, from_, rank); }

 private:
  /// A distribution, and who has what of each axis unless it is bricks.
  struct side {
    explicit side(const distribution& d);
    const distribution& at;
    std::vector<std::vector<holders>> axes;
  };

  [[nodiscard]] traffic between(const side& own, const side& other, int rank) const;

  side from_, to_;
  int ranks_per_node_;
};

}  // namespace weft::exchange
