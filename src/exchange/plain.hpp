// Images that are the arrays themselves. What stays on the rank is copied when the exchange starts.
#pragma once

#include "exchange/engine.hpp"
#include "local/copy.hpp"

namespace weft::exchange {

/// One strided box of a message, in bytes.
struct message_part {
  integer from_offset = 0, to_offset = 0;
  local::box_copy box;
};
/// All boxes of a message that stays on the rank.
[[nodiscard]] std::vector<message_part> parts_of(const message& m, const plain_image& from, const plain_image& to);

class plain_exchange : public exchange {
 protected:
  explicit plain_exchange(const exchange_problem& problem);
  void copy_own(const std::byte* from, std::byte* to) const;

  plain_image from_image_, to_image_;

 private:
  std::vector<message_part> own_;
};

}  // namespace weft::exchange
