// SPDX-License-Identifier: BSD-3-Clause
// The stages of a schedule between two exchanges, for one rank.
#pragma once

#include <algorithm>
#include <vector>

#include "local/pass.hpp"
#include "schedule/schedule.hpp"

namespace weft::run {

/// Transforms, and the array on either side of them. `arrives` and `leaves` are what the neighbours (the
/// user, an exchange) see; `before` and `after` what the transforms see, where some axes may be digits.
struct group {
  station arrives, before;
  std::vector<local::axis_transform> transforms;
  local::operation_list loading, storing;  ///< along axes of the transforms
  station after, leaves;

  [[nodiscard]] bool only_moves() const { return transforms.empty() && !views_source() && !views_sink(); }
  /// Whether elements along an axis that it transforms are left out on one side, or other ones on the other.
  [[nodiscard]] bool cuts() const {
    return std::ranges::any_of(
        transforms, [](const local::axis_transform& t) { return !t.absent_in.empty() || !t.absent_out.empty(); });
  }
  [[nodiscard]] bool views_source() const { return arrives.digits.empty() != before.digits.empty(); }
  [[nodiscard]] bool views_sink() const { return after.digits.empty() != leaves.digits.empty(); }
};

/// At least one; between each and the next there is an exchange.
[[nodiscard]] std::vector<group> groups_of(const schedule& s, int rank);

}  // namespace weft::run
