// SPDX-License-Identifier: BSD-3-Clause
#include "run/program.hpp"

#include <algorithm>
#include <numeric>

namespace weft::run {

integer memory_needs::area_bytes() const { return std::accumulate(areas.begin(), areas.end(), integer{0}); }

memory_needs memory_needs::with(const memory_needs& other) const {
  memory_needs both = other;
  for (std::size_t a = 0; a < areas.size(); ++a) both.areas[a] = std::max(areas[a], other.areas[a]);
  both.scratch = std::max(scratch, other.scratch);
  return both;
}

bool program::shares() const {
  return std::ranges::any_of(exchanges, [](const auto& e) { return e->how.one_image; });
}

integer program::messages() const {
  integer sum = 0;
  for (const auto& e : exchanges) sum += e->how.messages_sent;
  return sum;
}

integer program::bytes_sent() const {
  integer sum = 0;
  for (const auto& e : exchanges) sum += e->how.bytes_sent;
  return sum;
}

}  // namespace weft::run
