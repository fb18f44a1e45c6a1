// SPDX-License-Identifier: BSD-3-Clause
#include "owned_cursor.hpp"

#include <algorithm>

namespace weft::tool {

owned_cursor::owned_cursor(const distribution& how, int rank) {
  const auto axes = static_cast<std::size_t>(how.axes());
  integer weight = 1;
  places_.resize(axes);
  position_.assign(std::max<std::size_t>(1, axes), 0);
  for (std::size_t l = axes; l-- > 0;) {
    for (const segment& s : how.part(rank, static_cast<int>(l))) {
      if (s.indices.empty()) continue;
      places_[l].resize(std::max(places_[l].size(), static_cast<std::size_t>(s.positions.last() + 1)));
      for (integer k = 0; k < s.indices.count; ++k) {
        places_[l][static_cast<std::size_t>(s.positions[k])] = weight * s.indices[k];
      }
    }
    done_ = done_ || places_[l].empty();
    weight *= how.shape()[l];
  }
  inner_ = axes == 0 ? extents{0} : places_.back();
  if (done_) return;
  for (std::size_t l = 0; l + 1 < axes; ++l) outer_ += places_[l][0];
}

void owned_cursor::next_row() {
  position_.back() = 0;
  for (std::size_t l = position_.size() - 1; l-- > 0;) {
    outer_ -= places_[l][position_[l]];
    const bool wraps = ++position_[l] == places_[l].size();
    if (wraps) position_[l] = 0;
    outer_ += places_[l][position_[l]];
    if (!wraps) return;
  }
  done_ = true;
}

}  // namespace weft::tool
