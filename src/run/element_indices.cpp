// SPDX-License-Identifier: BSD-3-Clause
#include "run/element_indices.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace weft::run {

namespace {

/// Modes behind their digits, of which the last leads.
class digit_reader {
 public:
  digit_reader(const schedule& s, const station& here, int rank) : folded_(fold_at(s, here, rank)) {
    for (int l = 0; l < static_cast<int>(here.digits.size()); ++l) {
      integer weight = 1;
      for (const integer digit : here.digits[static_cast<std::size_t>(l)]) {
        places_.push_back({static_cast<std::size_t>(l), weight});
        // Of the first digit of a halved axis the modes up to K/2 are there, but all K are counted.
        weight *= folded_ && folded_->axis == l && weight == 1 ? folded_->length : digit;
      }
      extents_.push_back(weight);
    }
    if (folded_) mirrored_digit_ = first_digit(here.digits, folded_->axis) + 1;
  }

  void operator()(const local::pointwise& function, const local::element_line& line) const {
    std::array<integer, chunk> along{};
    std::array<integer, max_axes> whole{}, index{};
    const auto seen = static_cast<std::size_t>(line.axis);
    for (std::size_t q = 0; q < places_.size(); ++q) {
      if (q != seen) whole[places_[q].axis] += places_[q].weight * line.index[q];
    }
    const auto axis = places_[seen].axis;
    for (integer begin = 0, end = 0; begin < line.count; begin = end) {
      const bool mirrors = is_mirrored(line, begin);
      for (; end < line.count && end - begin < chunk && is_mirrored(line, end) == mirrors; ++end) {
        const integer at = whole[axis] + places_[seen].weight * line.along[static_cast<std::size_t>(end)];
        along[static_cast<std::size_t>(end - begin)] = mirrors ? mirrored(axis, at) : at;
      }
      for (std::size_t l = 0; l < extents_.size(); ++l) index[l] = mirrors ? mirrored(l, whole[l]) : whole[l];
      index[axis] = along[0];
      function({line.first + begin * line.step,
                line.step,
                end - begin,
                static_cast<int>(axis),
                {along.data(), static_cast<std::size_t>(end - begin)},
                {index.data(), extents_.size()}});
    }
  }

 private:
  static constexpr integer chunk = 64;

  struct place {
    std::size_t axis;
    integer weight;
  };

  [[nodiscard]] bool is_mirrored(const local::element_line& line, integer k) const {
    if (!folded_) return false;
    const bool along = mirrored_digit_ == line.axis;
    const integer digit =
        along ? line.along[static_cast<std::size_t>(k)] : line.index[static_cast<std::size_t>(mirrored_digit_)];
    return digit >= folded_->rows();
  }
  /// Only transformed axes are mirrored.
  [[nodiscard]] integer mirrored(std::size_t axis, integer at) const {
    const auto is = [&](const fold::other_axis& o) { return o.axis == static_cast<int>(axis); };
    const bool turns = folded_->axis == static_cast<int>(axis) || std::ranges::any_of(folded_->others, is);
    return turns && at != 0 ? extents_[axis] - at : at;
  }

  std::optional<fold> folded_;
  int mirrored_digit_ = -1;
  std::vector<place> places_;  // by axis that is seen
  extents extents_;            // by axis of the array
};

/// What an array keeps of a line, at the positions of the whole line.
extents spread(const extents& along, const kept_modes& kept) {
  extents whole(static_cast<std::size_t>(kept.length), -1);
  std::copy_n(along.begin(), kept.low, whole.begin() + kept.first);
  std::copy_n(along.end() - kept.high, kept.high, whole.end() - kept.high);
  return whole;
}

}  // namespace

std::vector<extents> seen_indices(const schedule& s, const station& here, int rank,
                                  std::span<const local::axis_transform> transforms) {
  std::vector<extents> indices;
  for (int l = 0; l < here.at.axes(); ++l) {
    const axis_part part = here.at.part(rank, l);
    auto& along = indices.emplace_back();
    for (integer k = 0; k < count(part); ++k) along.push_back(index_at(part, k));
    if (!here.digits.empty()) continue;  // which have all modes
    const kept_modes kept = kept_of(s, l);
    if (kept.gap) std::ranges::replace(along, kept.low, integer{-1});
    const bool whole = std::ranges::find(transforms, l, &local::axis_transform::axis) != transforms.end();
    if (whole && !kept.all() && !along.empty()) along = spread(along, kept);
  }
  return indices;
}

local::pointwise seen_by(const local::pointwise& function, const schedule& s, const station& here, int rank) {
  if (here.digits.empty()) return function;
  return [function, reader = digit_reader(s, here, rank)](const local::element_line& line) { reader(function, line); };
}

}  // namespace weft::run
