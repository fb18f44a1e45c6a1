// Images that hold one message after the other. What stays on the rank is stored straight into the
// `to` image and takes no part in the communication.
#pragma once

#include "exchange/engine.hpp"

namespace weft::exchange {

/// A message whose elements lie densely, `offset` bytes into `buffer`; `number` is what the consumer
/// asks for, -1 for nothing.
[[nodiscard]] message_box packed_box(const message& m, bool sending, int buffer, int number, integer offset,
                                     std::size_t element_bytes);

class packed_exchange : public exchange {
 protected:
  explicit packed_exchange(const exchange_problem& problem) : exchange(problem) {}
  /// Puts the messages one after the other, in peer order.
  void place_densely();
  /// Puts message i of out_ at out_offsets[i] of an image of `from_elements`, and likewise for in_.
  /// The own message's entry in out_offsets is not used.
  void place(std::vector<integer> out_offsets, integer from_elements, std::vector<integer> in_offsets,
             integer to_elements);

  std::vector<integer> out_offsets_, in_offsets_;  // in elements
};

}  // namespace weft::exchange
