// SPDX-License-Identifier: BSD-3-Clause
// Queues of launches of two sweeps, see sweep_order, which follow each other in one stream.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/memory.hpp"
#include "device/kernels/chain.hpp"

namespace weft::device {

/// Two, which take turns: each launch makes zeros of what the one before has counted in the other one, as clearing them
/// would be a launch more.
class launch_queues {
 public:
  /// Numbers in a queue.
  [[nodiscard]] std::int64_t room() const { return static_cast<std::int64_t>(both_[0].bytes() / sizeof(unsigned)); }
  /// With memory by `zeros`, which is told how many bytes; no launch may be under way.
  template <class Zeros>
  void renew(std::int64_t room, const Zeros& zeros) {
    std::array<memory, 2> fresh;  // there may be room for one only
    for (auto& q : fresh) q = zeros(sizeof(unsigned) * static_cast<std::size_t>(room));
    both_ = std::move(fresh);
    counts_ = {};
  }
  /// For the next launch; and when it is in the stream.
  void give(sweep_order& order) const {
    order.queue = reinterpret_cast<unsigned*>(both_[turn_].data());
    order.next_queue = reinterpret_cast<unsigned*>(both_[1 - turn_].data());
    order.next_counts = counts_[1 - turn_];
  }
  void launched(const sweep_order& order) {
    counts_[1 - turn_] = 0;
    counts_[turn_] = counts_of(order);
    turn_ = 1 - turn_;
  }

 private:
  std::array<memory, 2> both_;
  std::array<std::int64_t, 2> counts_{};  // that are not zeros
  std::size_t turn_ = 0;
};

}  // namespace weft::device
