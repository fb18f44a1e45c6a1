// SPDX-License-Identifier: BSD-3-Clause
#include "planner/postponed.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace weft::planner {

namespace {

/// What may stand behind the exchange as well: complex or real lines that stay so and keep their length.
bool can_wait(const schedule& s, int axis, const distribution& behind) {
  const auto l = static_cast<std::size_t>(axis);
  const line_row& row = row_of(s.kinds[l]);
  return row.in == row.out && row.in_extent(s.shape[l]) == row.out_extent(s.shape[l]) && behind.is_local(axis);
}

/// With the last transform before the exchange `at` that can wait postponed; none if there is none, or would be no
/// other left.
std::optional<schedule> with_one_postponed(schedule s, std::size_t at) {
  auto* const before = std::get_if<transform_stage>(&s.stages[at - 1]);
  auto* const behind = std::get_if<transform_stage>(&s.stages[at + 1]);
  const auto& to = std::get<redistribute_stage>(s.stages[at]).to;
  if (before == nullptr || behind == nullptr || before->axes.size() < 2) return std::nullopt;
  for (std::size_t i = before->axes.size(); i-- > 1;) {
    const int axis = before->axes[i];
    if (!can_wait(s, axis, to)) continue;
    before->axes.erase(before->axes.begin() + static_cast<std::ptrdiff_t>(i));
    behind->axes.insert(behind->axes.begin(), axis);
    return s;
  }
  return std::nullopt;
}

bool has_whole_axes(const schedule& s) {
  return std::ranges::none_of(s.stages, [](const stage& g) {
    return std::holds_alternative<view_stage>(g) || std::holds_alternative<twiddle_stage>(g);
  });
}

}  // namespace

schedule with_fewest_passes(schedule s, cost& all, pricer& prices) {
  const bool cuts = !s.modes.empty() || !s.input_box.low.empty() || !s.output_box.low.empty();
  if (cuts || !has_whole_axes(s)) return s;
  for (std::size_t i = 1; i + 1 < s.stages.size(); ++i) {
    if (!std::holds_alternative<redistribute_stage>(s.stages[i])) continue;
    for (auto next = with_one_postponed(s, i); next; next = with_one_postponed(*next, i)) {
      cost other = prices.cost_of(*next);
      if (other.passes >= all.passes) continue;
      s = *next;
      all = std::move(other);
    }
  }
  return s;
}

}  // namespace weft::planner
