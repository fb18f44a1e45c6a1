// SPDX-License-Identifier: BSD-3-Clause
// Everything that a planner decides about a transform.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedule/schedule.hpp"

namespace weft::planner {

struct strategy {
  std::string algorithm;
  schedule forward;
  std::vector<std::string> exchanges;  ///< an engine for each exchange, in forward order
  std::string local;                   ///< engine of the local transforms
  int threads = 1;
  int parts = 0;  ///< most parts of a message that leaves in parts; 0: as the engine likes

  friend bool operator==(const strategy&, const strategy&) = default;
};

/// The engines as one text: "window" where all are the same, "window,alltoallv" else, "none" without exchanges.
[[nodiscard]] std::string exchanges_text(const std::vector<std::string>& engines);
/// The opposite, for `count` exchanges: one name for all, or one for each. Throws argument_error for other numbers
/// and name_error for unknown names.
[[nodiscard]] std::vector<std::string> parse_exchanges(std::string_view text, int count);

/// Lines "key value".
[[nodiscard]] std::string to_text(const strategy& s);
/// Throws a weft::error for what it cannot read, unknown engines and algorithms among it.
[[nodiscard]] strategy parse_strategy(std::string_view text);

}  // namespace weft::planner
