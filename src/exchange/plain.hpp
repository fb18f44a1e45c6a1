// SPDX-License-Identifier: BSD-3-Clause
// Images that are the arrays themselves. What stays on the rank is copied when the exchange starts.
#pragma once

#include "exchange/geometry.hpp"
#include "local/copy.hpp"

namespace weft::exchange {

/// One strided box of a message, in bytes.
struct message_part {
  integer from_offset = 0, to_offset = 0;
  local::box_copy box;
};
/// All boxes of a message, as they lie in the array that it leaves and in the one where it arrives.
[[nodiscard]] std::vector<message_part> boxes_of(const message& m, const plain_image& from, const plain_image& to);

[[nodiscard]] std::vector<int> plain_ways(const exchange_problem& problem);
[[nodiscard]] geometry plain_geometry(const exchange_problem& problem);

/// Copies what stays.
class own_copy {
 public:
  explicit own_copy(const exchange_problem& problem);
  void operator()(const std::byte* from, std::byte* to) const;

 private:
  std::size_t element_bytes_;
  std::vector<message_part> boxes_;
};

}  // namespace weft::exchange
