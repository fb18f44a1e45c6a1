// SPDX-License-Identifier: BSD-3-Clause
// Positions of a line that an array has nothing for.
#pragma once

#include <array>
#include <vector>

#include "weft/index.hpp"

namespace weft::core {

/// At most two ranges, in order, with something between them.
class absent_positions {
 public:
  absent_positions() = default;
  /// Empty ranges do not count.
  absent_positions(const slice& one, const slice& other) {
    for (const auto& range : {one, other}) {
      if (!range.empty()) ranges_[number_++] = range;
    }
  }

  [[nodiscard]] bool empty() const { return number_ == 0; }
  /// Of some.
  [[nodiscard]] integer first() const { return ranges_[0].first; }
  [[nodiscard]] integer count() const { return ranges_[0].count + ranges_[1].count; }
  [[nodiscard]] bool contains(integer position) const {
    return ranges_[0].contains(position) || ranges_[1].contains(position);
  }
  /// The first position from `position` on that is not absent.
  [[nodiscard]] integer past(integer position) const {
    for (const auto& range : ranges_) {
      if (range.contains(position)) position = range.last() + 1;
    }
    return position;
  }
  /// What an axis of `extent` has besides: `visit` gets ranges, in order.
  template <class Visit>
  void each_present(integer extent, const Visit& visit) const {
    integer begin = 0;
    for (std::size_t i = 0; i < number_; ++i) {
      if (ranges_[i].first > begin) visit(slice{begin, 1, ranges_[i].first - begin});
      begin = ranges_[i].last() + 1;
    }
    if (begin < extent) visit(slice{begin, 1, extent - begin});
  }

  friend bool operator==(const absent_positions&, const absent_positions&) = default;

 private:
  std::array<slice, 2> ranges_{};
  std::size_t number_ = 0;
};

}  // namespace weft::core
