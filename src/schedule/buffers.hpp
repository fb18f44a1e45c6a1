// SPDX-License-Identifier: BSD-3-Clause
// Which memory each intermediate array of a schedule lives in, and how much workspace that takes.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/core.hpp"
#include "weft/index.hpp"

namespace weft::core {

/// Areas of memory. In place, input and output are one area, `output`.
/// Four work areas always do: what a step reads, what the one before it still reads, and two that it writes.
enum class area : int { input = 0, output = 1, work0 = 2, work1 = 3, work2 = 4, work3 = 5 };
inline constexpr int area_count = 6;

/// An array (or send or receive image) that some step writes and the next ones read.
struct buffer_need {
  integer bytes = 0;
  bool fits_input = false;   ///< may lie in the input's memory, whose contents are then lost
  bool fits_output = false;  ///< may lie in the output's memory
};

/// A step that reads one array and writes the next.
struct buffer_step {
  bool in_place = false;    ///< may write where it reads
  bool writes_two = false;  ///< also writes the array after the next: what stays on the rank
  bool stays = false;       ///< moves nothing: the next array is this one, seen differently
  bool lingers = false;     ///< still reads when the step after it runs, which must not write there
  /// What it writes of the array after the next it writes where it read the same: the two may be one.
  bool keeps_place = false;
};

struct buffer_problem {
  std::vector<buffer_need> arrays;  ///< input first, output last; step i turns array i into i+1
  std::vector<buffer_step> steps;
  bool same_memory = false;  ///< input and output are one area
};

struct buffer_plan {
  std::vector<area> arrays;
  std::array<integer, area_count> bytes{};  ///< of each work area; 0 for input and output
  [[nodiscard]] integer workspace() const;
};

/// The assignment with the least workspace, exact, by search; none if a step could only write over
/// what it reads.
[[nodiscard]] std::optional<buffer_plan> assign_buffers(const buffer_problem& problem);

}  // namespace weft::core
