// SPDX-License-Identifier: BSD-3-Clause
#include "run/groups.hpp"

namespace weft::run {

namespace {

class group_reader {
 public:
  group_reader(const schedule& s, int rank)
      : schedule_(s), rank_(rank), ascends_(digits_ascend(s)), stations_(stations_of(s)) {}

  std::vector<group> read() {
    begin(stations_.front());
    for (std::size_t i = 0; i < schedule_.stages.size(); ++i) {
      const station& next = stations_[i + 1];
      const stage& g = schedule_.stages[i];
      if (const auto* t = std::get_if<transform_stage>(&g)) {
        transform(*t, stations_[i], next);
      } else if (const auto* w = std::get_if<twiddle_stage>(&g)) {
        twiddle(*w, stations_[i]);
      } else if (std::holds_alternative<view_stage>(g)) {
        view(next);
      } else {
        begin(next);
      }
    }
    return std::move(groups_);
  }

 private:
  void begin(const station& here) { groups_.push_back({here, here, {}, {}, {}, here, here}); }

  void transform(const transform_stage& t, const station& here, const station& next) {
    group& g = groups_.back();
    const auto kinds = kinds_at(schedule_, here, t);
    for (std::size_t i = 0; i < t.axes.size(); ++i) {
      const int axis = t.axes[i];
      local::axis_transform transform{axis, kinds[i], length_at(schedule_, here, axis)};
      const int of = place_of_digit(here.digits, axis).axis;
      const bool forward = schedule_.way == direction::forward;
      if (const kept_modes kept = kept_of(schedule_, of); !kept.all()) {
        (forward ? transform.absent_out : transform.absent_in) = absent_of(kept);
      }
      if (const kept_modes given = given_of(schedule_, of); !given.all()) {
        (forward ? transform.absent_in : transform.absent_out) = absent_of(given);
      }
      g.transforms.push_back(transform);
      // The second digit of the real axis: the modes past n/2 stand for their mirror images.
      const auto [whole, digit] = place_of_digit(here.digits, axis);
      if (whole == real_axis(schedule_) && digit > 0) {
        complex_side(g).emplace_back(local::conjugation{axis, fold_at(schedule_, here, rank_)->rows()});
      }
    }
    g.after = g.leaves = next;
  }

  /// Where digits ascend, the twiddles follow their transforms; else they come first.
  void twiddle(const twiddle_stage& w, const station& here) {
    for (const int axis : w.axes) {
      const auto [by, across, step, first] = turn_at(schedule_, here, axis, rank_);
      complex_side(groups_.back())
          .emplace_back(
              local::turning{axis, by, ascends_ ? direction::forward : direction::backward, across, step, first});
    }
  }

  /// What is done to the modes of a digit: behind the transform where digits ascend, before it where they do not.
  [[nodiscard]] local::operation_list& complex_side(group& g) const { return ascends_ ? g.storing : g.loading; }

  void view(const station& next) {
    group& g = groups_.back();
    // Transforms, or a copy if there are none, work on digits.
    if (!next.digits.empty()) g.before = g.after = next;
    g.leaves = next;
  }

  const schedule& schedule_;
  int rank_;
  bool ascends_;
  std::vector<station> stations_;
  std::vector<group> groups_;
};

}  // namespace

std::vector<group> groups_of(const schedule& s, int rank) { return group_reader(s, rank).read(); }

}  // namespace weft::run
