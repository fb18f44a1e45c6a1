// SPDX-License-Identifier: BSD-3-Clause
// How a plan comes to its strategy: from wisdom, by the machine model, or by timing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/bound.hpp"
#include "planner/setting.hpp"

namespace weft::planner {

/// A strategy that was timed, or could not be.
struct trial {
  strategy how;
  double seconds = 0;           ///< least of one forward transform, the slowest rank's
  integer workspace_bytes = 0;  ///< the most that any rank needs
  std::string failure;
};

struct decision {
  std::optional<bound> how_bound;
  std::vector<trial> trials;  ///< the same on every rank
  std::string wisdom;         ///< what became of the wisdom file; empty without one
  bool kept = true;           ///< whether it has what was measured
};

/// Collective; throws the same error on every rank.
[[nodiscard]] decision decide(const problem& what, const options& how, const algorithm::task& task,
                              const setting& given, const knowledge& known, const crew& on);

}  // namespace weft::planner
