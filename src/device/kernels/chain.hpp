// SPDX-License-Identifier: BSD-3-Clause
// The order of two sweeps that share one queue.
#pragma once

#include "device/kernels/reach.hpp"

namespace weft::device {

/// What the owner of a ticket does. Tickets are taken in order, and what one waits for has lower tickets: so somebody
/// is always working, however few blocks run at the same time.
struct chain_ticket {
  bool second;
  std::int64_t chunk;
  std::int64_t line, end;  // its lines: a group's, and the end of the chunk's or of all
};

/// The first sweep is one chunk ahead.
WEFT_DEVICE_CODE chain_ticket ticket_of(const chained_sweeps& c, std::int64_t number) {
  bool second = false;
  std::int64_t chunk = 0, group = number;
  if (number >= c.first_groups) {
    const std::int64_t both = c.first_groups + c.second_groups, round = (number - c.first_groups) / both;
    group = (number - c.first_groups) % both;
    second = round + 1 == c.chunks || group >= c.first_groups;
    chunk = second ? round : round + 1;
    if (second && round + 1 < c.chunks) group -= c.first_groups;
  }
  const sweep& s = second ? c.second : c.first;
  const std::int64_t lines = second ? c.second_lines : c.first_lines;
  const std::int64_t end = (chunk + 1) * lines;
  return {second, chunk, chunk * lines + group * width_of(s), end < s.box.lines ? end : s.box.lines};
}

WEFT_DEVICE_CODE std::int64_t tickets_of(const chained_sweeps& c) {
  return c.chunks * (c.first_groups + c.second_groups);
}

}  // namespace weft::device
