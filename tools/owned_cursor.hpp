// SPDX-License-Identifier: BSD-3-Clause
// Walks over the elements a rank owns, in the order in which they lie in its compact local array.
#pragma once

#include <vector>

#include "weft/distribution.hpp"

namespace weft::tool {

/// Points at one owned element after the other; `global()` is its place in the whole array in
/// row-major order, and rises from element to element.
class owned_cursor {
 public:
  owned_cursor(const distribution& how, int rank);

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] integer global() const { return outer_ + inner_[position_.back()]; }
  void advance() {
    if (++position_.back() == inner_.size()) next_row();
  }

 private:
  void next_row();

  // places_[l][k] is what position k of axis l adds to the place in the whole array.
  std::vector<extents> places_;
  extents inner_;
  std::vector<std::size_t> position_;
  integer outer_ = 0;
  bool done_ = false;
};

}  // namespace weft::tool
