// SPDX-License-Identifier: BSD-3-Clause
// The order of two sweeps that share one queue.
#pragma once

#include "device/kernels/task.hpp"

namespace weft::device {

/// What the owner of a ticket does. Tickets are taken in order, and what one waits for has lower tickets: so somebody
/// is always working, however few blocks run at the same time.
struct chain_ticket {
  bool second;
  std::int64_t chunk, group;

  /// The first line of its group, and the end of the chunk's lines or of all; `width`: lines of a group.
  [[nodiscard]] WEFT_DEVICE_CODE std::int64_t line(const sweep_order& order, int width) const {
    return chunk * lines_of(order) + group * width;
  }
  [[nodiscard]] WEFT_DEVICE_CODE std::int64_t end(const sweep_order& order, std::int64_t all) const {
    const std::int64_t chunk_end = (chunk + 1) * lines_of(order);
    return order.chunks > 0 && chunk_end < all ? chunk_end : all;
  }
  /// The line from which what lies between is counted: the first of those that go once round the ring.
  [[nodiscard]] WEFT_DEVICE_CODE std::int64_t base(const sweep_order& order) const {
    if (order.ring == 0) return 0;
    const auto number = static_cast<unsigned>(chunk), ring = static_cast<unsigned>(order.ring);
    return static_cast<std::int64_t>(number - number % ring) * lines_of(order);
  }
  /// Whether it waits for another chunk, and which.
  [[nodiscard]] WEFT_DEVICE_CODE bool waits(const sweep_order& order) const {
    return second || (order.ring > 0 && chunk >= order.ring);
  }
  /// The number in the queue of the count that it waits for, and what it waits to be reached.
  [[nodiscard]] WEFT_DEVICE_CODE std::int64_t awaited(const sweep_order& order) const {
    return second ? 1 + chunk : 1 + order.chunks + chunk - order.ring;
  }
  [[nodiscard]] WEFT_DEVICE_CODE std::int64_t awaited_groups(const sweep_order& order) const {
    return second ? order.first_groups : order.second_groups;
  }
  /// Whether anybody waits for it, and the number of its own count.
  [[nodiscard]] WEFT_DEVICE_CODE bool is_awaited(const sweep_order& order) const { return !second || order.ring > 0; }
  [[nodiscard]] WEFT_DEVICE_CODE std::int64_t counted(const sweep_order& order) const {
    return second ? 1 + order.chunks + chunk : 1 + chunk;
  }

 private:
  [[nodiscard]] WEFT_DEVICE_CODE std::int64_t lines_of(const sweep_order& order) const {
    return second ? order.second_lines : order.first_lines;
  }
};

/// The first sweep begins alone; then groups of both take turns, so that loads from memory, stores to it and what goes
/// through the cache overlap; the second one ends alone. There are fewer than 2^31 tickets: division of 64 bits takes
/// long.
WEFT_DEVICE_CODE chain_ticket ticket_of(const sweep_order& c, std::int64_t number) {
  const auto chunks = static_cast<unsigned>(c.chunks), ahead = static_cast<unsigned>(c.ahead),
             firsts = static_cast<unsigned>(c.first_groups), seconds = static_cast<unsigned>(c.second_groups),
             both = firsts + seconds, turns = firsts < seconds ? firsts : seconds;
  auto group = static_cast<unsigned>(number);
  unsigned chunk = 0;
  bool second = false;
  if (group < ahead * firsts) {
    chunk = group / firsts;
    group %= firsts;
  } else if (group -= ahead * firsts; group < (chunks - ahead) * both) {
    const unsigned round = group / both;
    group %= both;
    second = group < 2 * turns ? group % 2 == 1 : seconds > firsts;
    group = group < 2 * turns ? group / 2 : group - turns;
    chunk = second ? round : round + ahead;
  } else {
    group -= (chunks - ahead) * both;
    second = true;
    chunk = chunks - ahead + group / seconds;
    group %= seconds;
  }
  return {second, chunk, group};
}

/// Numbers in the queue.
WEFT_DEVICE_CODE std::int64_t counts_of(const sweep_order& c) { return 1 + c.chunks * (c.ring > 0 ? 2 : 1); }

WEFT_DEVICE_CODE std::int64_t tickets_of(const sweep_order& c) { return c.chunks * (c.first_groups + c.second_groups); }

}  // namespace weft::device
