// Images that hold one message after the other. What stays on the rank takes no part in the
// communication: it is stored straight into the `to` image, or held behind the other messages in the
// `from` image and copied.
#pragma once

#include "exchange/engine.hpp"

namespace weft::exchange {

/// A message whose elements lie densely, `offset` bytes into `buffer`; `number` is what the consumer
/// asks for, -1 for nothing.
[[nodiscard]] message_box packed_box(const message& m, bool sending, int buffer, int number, integer offset,
                                     std::size_t element_bytes);

class packed_exchange : public exchange {
 public:
  void take_care(care wanted) override;

 protected:
  explicit packed_exchange(const exchange_problem& problem) : exchange(problem) {}
  /// Puts the messages one after the other, in peer order. In the `to` image the own message comes first: where
  /// the array returns to a distribution, it is then at the same place in both `to` images.
  void place_densely();
  /// Puts message i of out_ at out_offsets[i] of an image of `from_elements`, and likewise for in_.
  /// The own message's entry in out_offsets, possibly past `from_elements`, is where it may be held.
  void place(std::vector<integer> out_offsets, integer from_elements, std::vector<integer> in_offsets,
             integer to_elements);
  /// Copies what is held: part of start().
  void copy_held(const image& from, const image& to) const;

  std::vector<integer> out_offsets_, in_offsets_;  // in elements
  bool held_ = false;

 private:
  void map_stores();

  struct own_message {
    integer from_offset = 0, to_offset = 0, count = 0;  // in elements
  };
  own_message own_;
  integer from_elements_ = 0;
};

}  // namespace weft::exchange
