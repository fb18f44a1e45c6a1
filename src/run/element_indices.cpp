// SPDX-License-Identifier: BSD-3-Clause
#include "run/element_indices.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace weft::run {

namespace {

/// Modes behind their digits, of which the last leads; or what a dct3 leaves in the order of elements, where the first
/// does, and a dct4, where the last does.
class digit_reader {
 public:
  digit_reader(const schedule& s, const station& here, int rank)
      : folded_(fold_at(s, here, rank)), order_(cosine_order_at(s, here, rank)) {
    for (int l = 0; l < static_cast<int>(here.digits.size()); ++l) {
      if (order_ && order_->axis == l) {
        const bool last_leads = has_coefficients(s, here);
        places_.push_back({static_cast<std::size_t>(l), last_leads ? 1 : order_->points});
        places_.push_back({static_cast<std::size_t>(l), last_leads ? order_->length / 2 : 1});
        extents_.push_back(order_->length * order_->points);
        continue;
      }
      integer weight = 1;
      for (const integer digit : here.digits[static_cast<std::size_t>(l)]) {
        places_.push_back({static_cast<std::size_t>(l), weight});
        // Of the first digit of a halved axis the modes up to K/2 are there, but all K are counted. Coefficients of
        // cosines then count to 2n, from which mirror images count down.
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
      const stand as = stands_at(line, begin);
      const bool mirrors = as == stand::mirrored;
      for (; end < line.count && end - begin < chunk && stands_at(line, end) == as; ++end) {
        const integer at = whole[axis] + places_[seen].weight * line.along[static_cast<std::size_t>(end)];
        along[static_cast<std::size_t>(end - begin)] = index_of(axis, at, mirrors);
      }
      if (as == stand::nothing) continue;
      for (std::size_t l = 0; l < extents_.size(); ++l) index[l] = index_of(l, whole[l], mirrors);
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

  /// What an element stands for: itself, its mirror image, or no mode.
  enum class stand : char { itself, mirrored, nothing };

  [[nodiscard]] stand stands_at(const local::element_line& line, integer k) const {
    if (!folded_) return stand::itself;
    const auto index = [&](int axis) {
      return axis == line.axis ? line.along[static_cast<std::size_t>(k)] : line.index[static_cast<std::size_t>(axis)];
    };
    const integer digit = index(mirrored_digit_);
    if (!folded_->has(index(mirrored_digit_ - 1), digit)) return stand::nothing;
    return digit < folded_->rows() ? stand::itself : stand::mirrored;
  }
  [[nodiscard]] integer index_of(std::size_t axis, integer at, bool mirrors) const {
    if (order_ && order_->axis == static_cast<int>(axis)) return order_->index_of(at);
    return mirrors ? mirrored(axis, at) : at;
  }
  /// Only transformed axes are mirrored.
  [[nodiscard]] integer mirrored(std::size_t axis, integer at) const {
    const auto is = [&](const fold::other_axis& o) { return o.axis == static_cast<int>(axis); };
    const bool turns = folded_->axis == static_cast<int>(axis) || std::ranges::any_of(folded_->others, is);
    return turns && at != 0 ? extents_[axis] - at : at;
  }

  std::optional<fold> folded_;
  std::optional<cosine_order> order_;
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
