// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/among.hpp"
#include "schedule/schedule.hpp"
#include "weft/error.hpp"

namespace weft::core {

namespace {

using base::among;

[[noreturn]] void reject(const schedule& s, const std::string& why) {
  throw internal_error("schedule '" + to_text(s) + "': " + why);
}

/// What validate() follows through the stages.
class validation {
 public:
  validation(const schedule& s, const std::vector<int>& axes)
      : s_(s), axes_(axes), stations_(stations_of(s)), real_axis_(real_axis(s)), ascends_(digits_ascend(s)) {
    done_.resize(s.input.shape().size());
  }

  void run() {
    for (int l = 0; l < static_cast<int>(s_.kinds.size()); ++l) {
      const bool has_kind = s_.kinds[static_cast<std::size_t>(l)] != line_kind::none;
      if (has_kind && !among(l, axes_)) reject(s_, "axis " + std::to_string(l) + " was not asked for");
    }
    for (std::size_t i = 0; i < s_.stages.size(); ++i) {
      const stage& g = s_.stages[i];
      if (const auto* t = std::get_if<transform_stage>(&g)) {
        transform(*t, i);
      } else if (const auto* w = std::get_if<twiddle_stage>(&g)) {
        twiddle(*w, i);
      } else if (std::holds_alternative<view_stage>(g)) {
        view(i);
      } else if (stations_[i + 1].at.shape() != stations_[i].at.shape()) {
        reject(s_, "a redistribution changes the shape");
      }
    }
    if (!stations_.back().digits.empty()) reject(s_, "it ends with axes seen as digits");
    for (const int axis : axes_) {
      if (!done_[static_cast<std::size_t>(axis)]) reject(s_, "not every axis is transformed");
    }
    if (real_axis_ >= 0 && (forward() ? order_.front() : order_.back()) != real_axis_) {
      reject(s_, "the real axis must be transformed first forward and last backward");
    }
    // What mirror images are is known only when all else is transformed.
    const bool digits = std::count(order_.begin(), order_.end(), real_axis_) > 1;
    if (real_axis_ >= 0 && digits && (forward() ? order_.back() : order_.front()) != real_axis_) {
      reject(s_, "the second digit of the real axis must be transformed last forward and first backward");
    }
    // Elements are complex between the digits of cosines, and only there: so they are real on either side.
    if (cosine_axis_ >= 0 && (order_.front() != cosine_axis_ || order_.back() != cosine_axis_)) {
      reject(s_, "the digits of an axis with a cosine transform must be transformed first and last");
    }
  }

 private:
  [[nodiscard]] bool forward() const { return s_.way == direction::forward; }

  void transform(const transform_stage& t, std::size_t i) {
    const station& here = stations_[i];
    for (const int axis : t.axes) {
      if (axis < 0 || axis >= here.at.axes()) reject(s_, "axis " + std::to_string(axis) + " does not exist");
      const int whole = place_of_digit(here.digits, axis).axis;
      if (!among(whole, axes_)) reject(s_, "axis " + std::to_string(axis) + " was not asked for");
      if (kind_at(s_, here, axis) == line_kind::none) reject(s_, "axis " + std::to_string(axis) + " has no kind");
      if (done_[static_cast<std::size_t>(axis)]) reject(s_, "axis " + std::to_string(axis) + " is transformed twice");
      if (!here.at.is_local(axis) || !stations_[i + 1].at.is_local(axis)) {
        reject(s_, "axis " + std::to_string(axis) + " is not whole on the ranks");
      }
      if (has_later_digit(here.digits, axis)) {
        const bool next = i + 1 < s_.stages.size() && twiddles(s_.stages[i + 1], axis);
        const bool before = i > 0 && twiddles(s_.stages[i - 1], axis);
        if (!(ascends_ ? next : before)) reject(s_, "digit " + std::to_string(axis) + " has no twiddles");
      }
      done_[static_cast<std::size_t>(axis)] = true;
      order_.push_back(whole);
    }
  }

  [[nodiscard]] static bool twiddles(const stage& g, int axis) {
    const auto* w = std::get_if<twiddle_stage>(&g);
    return w != nullptr && among(axis, w->axes);
  }

  void twiddle(const twiddle_stage& w, std::size_t i) {
    const station& here = stations_[i];
    for (const int axis : w.axes) {
      if (axis < 0 || axis >= here.at.axes() || !has_later_digit(here.digits, axis)) {
        reject(s_, "axis " + std::to_string(axis) + " is no digit that takes twiddles");
      }
      if (done_[static_cast<std::size_t>(axis)] != ascends_) reject(s_, "twiddles stand on the wrong side of T");
      const auto neighbour = ascends_ ? i - 1 : i + 1;  // before the first there is no digit that is done
      const auto* t = neighbour < s_.stages.size() ? std::get_if<transform_stage>(&s_.stages[neighbour]) : nullptr;
      if (t == nullptr || !among(axis, t->axes) || std::count(w.axes.begin(), w.axes.end(), axis) > 1) {
        reject(s_, "twiddles of axis " + std::to_string(axis) + " do not stand next to its transform");
      }
      const auto [whole, digit] = place_of_digit(here.digits, axis);
      const auto count = static_cast<int>(here.digits[static_cast<std::size_t>(whole)].size());
      for (int later = axis + 1; later < axis - digit + count; ++later) {
        if (done_[static_cast<std::size_t>(later)] == ascends_) reject(s_, "digits are transformed out of order");
      }
      if (!can_turn(here.at, here.digits, axis)) {
        reject(s_, "ranks have too many indices of the digits behind " + std::to_string(axis) + " at a twiddle");
      }
    }
  }

  void view(std::size_t i) {
    const station& before = stations_[i];
    const station& after = stations_[i + 1];
    if (before.digits.empty() == after.digits.empty()) reject(s_, "a view of a view");
    const bool begins = i == 0 || std::holds_alternative<redistribute_stage>(s_.stages[i - 1]);
    const bool ends = i + 1 == s_.stages.size() || std::holds_alternative<redistribute_stage>(s_.stages[i + 1]);
    if (!(before.digits.empty() ? begins : ends)) reject(s_, "a view stands between a transform and its exchange");
    const digit_list& digits = before.digits.empty() ? after.digits : before.digits;
    const distribution& whole = before.digits.empty() ? before.at : after.at;
    const distribution& seen = before.digits.empty() ? after.at : before.at;
    if (digits.size() != whole.shape().size() || shape_of(digits) != seen.shape()) reject(s_, "a view's digits differ");
    std::vector<bool> done;
    for (int l = 0, first = 0; l < whole.axes();
         first += static_cast<int>(digits[static_cast<std::size_t>(l++)].size())) {
      const extents& sizes = digits[static_cast<std::size_t>(l)];
      if (sizes.size() > 1 && is_trigonometric(s_.kinds[static_cast<std::size_t>(l)])) check_cosines(before, l);
      const station& digits_at = before.digits.empty() ? after : before;
      const bool coefficients = l == cosine_axis_ && has_coefficients(s_, digits_at);
      const bool ordered = l == cosine_axis_ && cosine_order_at(s_, digits_at, 0);
      const bool folds = (l == cosine_axis_ && !ordered) ||
                         (l == real_axis_ && before.element == element_type::complex && sizes.size() > 1);
      if (coefficients && sizes[1] % 2 != 0) reject(s_, "coefficients are not in pairs");
      if (folds) {
        check_fold(l, {sizes[0], coefficients ? sizes[1] / 2 : sizes[1]}, sizes.size());
      } else if (volume(sizes) != whole.shape()[static_cast<std::size_t>(l)]) {
        reject(s_, "a view changes an extent");
      }
      if (before.digits.empty()) {
        const bool was = done_[static_cast<std::size_t>(l)];
        if (was && sizes.size() > 1) reject(s_, "a transformed axis is seen as digits");
        done.insert(done.end(), sizes.size(), was);
      } else {
        const auto begin = done_.begin() + first;
        const auto end = begin + static_cast<std::ptrdiff_t>(sizes.size());
        const auto finished = std::count(begin, end, true);
        // Digits that were not transformed would come out reversed.
        if (finished != end - begin && sizes.size() > 1) reject(s_, "not every digit of an axis is transformed");
        done.push_back(finished != 0);
      }
      if (folds) {
        check_mirrored(whole, digits_at);
      } else if (ordered) {
        check_order(whole, digits_at, coefficients);
      } else {
        check_ownership(whole, seen, l, first, sizes, before.digits.empty() == ascends_);
      }
    }
    done_ = std::move(done);
  }

  /// Along which axis such a rank has nothing is all the same: same_ownership() says so, too, by which redistributions
  /// before a view are left out.
  static bool has_nothing(const distribution& d, int rank) { return volume(d.local_shape(rank)) == 0; }

  /// A few ranks, a few positions: what a wrong distribution would not pass.
  void check_ownership(const distribution& whole, const distribution& seen, int axis, int first, const extents& sizes,
                       bool first_leads) const {
    const int ranks = std::max(whole.ranks(), seen.ranks());
    const int sampled = std::min(ranks, 16);
    for (int k = 0; k < sampled; ++k) {
      const auto rank = static_cast<int>((static_cast<integer>(k) + 1) * ranks / sampled) - 1;
      if (has_nothing(whole, rank) && has_nothing(seen, rank)) continue;
      const axis_part mine = whole.part(rank, axis);
      extents counts;
      std::vector<axis_part> parts;
      for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
        parts.push_back(seen.part(rank, first + i));
        counts.push_back(weft::count(parts.back()));
      }
      if (volume(counts) != weft::count(mine)) reject(s_, "a view changes what ranks have");
      const integer n = weft::count(mine);
      for (const integer position : {integer{0}, n / 2, n - 1}) {
        if (n == 0) break;
        integer rest = position, index = 0, weight = 1;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
          const std::size_t digit = first_leads ? sizes.size() - 1 - i : i;  // least significant first
          index += weight * index_at(parts[digit], rest % counts[digit]);
          rest /= counts[digit];
          weight *= sizes[digit];
        }
        if (index != index_at(mine, position)) reject(s_, "a view changes what ranks have");
      }
    }
  }

  void check_fold(int axis, const extents& sizes, std::size_t digits) const {
    const integer n = s_.shape[static_cast<std::size_t>(axis)];
    const integer p = digits == 2 ? sizes[1] : 0;
    // p is small enough for its square if it divides n twice over.
    if (p < 1 || n % (2 * p) != 0 || n / (2 * p) % p != 0 || sizes[0] != n / p / 2 + 1) {
      reject(s_, "the digits of the real axis must be two, and twice the square of the second must divide it");
    }
  }

  /// One axis of an array that is real on either side.
  void check_cosines(const station& before, int axis) {
    if (cosine_axis_ >= 0 && cosine_axis_ != axis) reject(s_, "several axes with cosine transforms are seen as digits");
    if (before.element == element_type::complex ||
        row_of(s_.kinds[static_cast<std::size_t>(axis)]).later_digits == line_kind::none) {
      reject(s_, "axis " + std::to_string(axis) + " has no digits");
    }
    cosine_axis_ = axis;
  }

  /// Elements must be where the order of a cosine transform has them, on a few ranks.
  void check_order(const distribution& whole, const station& seen, bool coefficients) const {
    const auto& sizes = seen.digits[static_cast<std::size_t>(cosine_axis_)];
    if (coefficients) {
      check_fold(cosine_axis_, {sizes[0] + 1, sizes[1] / 2}, sizes.size());
    } else {
      check_fold(cosine_axis_, {sizes[0] / 2 + 1, sizes[1]}, sizes.size());
    }
    const int first = first_digit(seen.digits, cosine_axis_);
    for (int rank = 0; rank < std::min(whole.ranks(), 16); ++rank) {
      if (has_nothing(whole, rank) && has_nothing(seen.at, rank)) continue;
      const axis_part mine = whole.part(rank, cosine_axis_), shared = seen.at.part(rank, first);
      const cosine_order order = *cosine_order_at(s_, seen, rank);
      // The ranks share the digit that does not lead.
      const integer count = weft::count(shared), step = coefficients ? order.points : 1;
      const integer others = weft::count(seen.at.part(rank, first + 1));
      if (weft::count(mine) != order.length || count * others != order.length ||
          others != (coefficients ? sizes[1] : 1) ||
          index_at(shared, count - 1) - index_at(shared, 0) != (count - 1) * step) {
        reject(s_, "a view changes what ranks have");
      }
      for (const integer k : {integer{0}, order.length / 2 - 1, order.length / 2, order.length - 1}) {
        if (index_at(mine, order.position(k)) != order.index_of(k * order.points + order.point)) {
          reject(s_, "a view changes what ranks have");
        }
      }
    }
  }

  /// Modes and their mirror images must be where the fold says, on a few ranks.
  void check_mirrored(const distribution& whole, const station& seen) const {
    const int whole_axis = cosine_axis_ >= 0 ? cosine_axis_ : real_axis_;
    const int axis = first_digit(seen.digits, whole_axis);
    for (int rank = 0; rank < std::min(whole.ranks(), 16); ++rank) {
      const axis_part mine = whole.part(rank, whole_axis), modes = seen.at.part(rank, axis);
      if (has_nothing(whole, rank) && has_nothing(seen.at, rank)) continue;
      const fold f = *fold_at(s_, seen, rank);
      for (const integer position : {integer{0}, weft::count(modes) / 2, weft::count(modes) - 1}) {
        const integer last = seen.at.shape()[static_cast<std::size_t>(axis) + 1] - 1;
        for (const integer digit : {integer{0}, f.rows() - 1, f.rows(), last}) {
          const integer k = index_at(modes, position), a = f.mode(k, digit), at = f.position(position, digit);
          if (!f.has(k, digit)) continue;
          if (at < 0 || at >= weft::count(mine) || index_at(mine, at) != a) {
            reject(s_, "a view changes what ranks have");
          }
        }
      }
      for (const auto& [other, has_zero] : f.others) {
        const axis_part part = whole.part(rank, other);
        const integer c = weft::count(part), extent = whole.shape()[static_cast<std::size_t>(other)];
        for (integer x = has_zero ? 1 : 0; x < c; x += std::max<integer>(1, c / 3)) {
          if (index_at(part, x) + index_at(part, has_zero ? c - x : c - 1 - x) != extent) {
            reject(s_, "an index and its negative are not on one rank along axis " + std::to_string(other));
          }
        }
      }
    }
  }

  const schedule& s_;
  const std::vector<int>& axes_;
  std::vector<station> stations_;
  int real_axis_;
  bool ascends_;
  int cosine_axis_ = -1;    // that is seen as digits
  std::vector<bool> done_;  // by the axes now seen
  std::vector<int> order_;  // of the transforms, by whole axes
};

}  // namespace

void validate(const schedule& s, const std::vector<int>& axes) { validation(s, axes).run(); }

}  // namespace weft::core
