// SPDX-License-Identifier: BSD-3-Clause
// Algorithms: from a problem to schedules. Pure; every algorithm is one file and one table line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/schedule.hpp"

namespace weft::algorithm {

/// A forward transform to be scheduled.
struct task {
  extents shape;                 ///< logical, the real side's
  std::vector<int> axes;         ///< to transform, ascending
  std::vector<line_kind> kinds;  ///< of all axes, forward: none for those that are not in `axes`
  int ranks = 1;
  std::optional<distribution> in;   ///< of before(); none: the algorithm chooses
  std::optional<distribution> out;  ///< of the complex shape; none: the algorithm chooses
  bool out_same = false;            ///< out follows the chosen in
  std::optional<grid> on;           ///< the process grid to use where the algorithm chooses the input
  int batch_axis = -1;              ///< numbers the arrays of a batch and is never split; -1: there is one array
  extents modes;                    ///< kept of each axis; empty: all
  /// Whether passes are those of engines for lines: they can multiply lines by twiddles that differ from line to line,
  /// and have the digits of cosine transforms.
  bool for_lines = true;
  box input_box, output_box;  ///< without corners: all
  /// Set where `shape` is seen as digits: those of one axis are transformed in order, with twiddles between.
  digit_list digits;

  /// The axis that is halved, -1 for none.
  [[nodiscard]] int real_axis() const { return core::real_axis(kinds); }
  /// The shapes before and after all transforms.
  [[nodiscard]] extents before() const { return extents_of(shape, input_box); }
  [[nodiscard]] extents after() const { return extents_after(shape, kinds, modes, output_box); }
  [[nodiscard]] bool keeps_all() const { return modes.empty() && input_box.low.empty() && output_box.low.empty(); }
};

/// The shape for messages, the batch apart.
[[nodiscard]] std::string arrays_text(const task& problem);

/// What an algorithm made of a task: schedules, or the reason why there are none.
struct proposal {
  std::vector<schedule> schedules;
  std::string reason;
};

struct entry {
  std::string_view name;
  proposal (*propose)(const task&);
  bool last_resort = false;  ///< considered by "auto" only if no other has a schedule
};

/// A schedule and the algorithm that it comes from.
struct candidate {
  std::string_view algorithm;
  core::schedule schedule;
};

/// All algorithms; of equally cheap schedules the one of the first is taken.
[[nodiscard]] std::span<const entry> algorithms();
/// An algorithm that has no schedule for a task, and why.
struct refusal {
  std::string_view algorithm;
  std::string reason;
};
/// Schedules of the named algorithm, or of all for "auto". Throws name_error for an unknown name and
/// applicability_error, with the reasons, if there is no schedule. Refusals are added to `refused`, if given.
[[nodiscard]] std::vector<candidate> propose(const task& problem, std::string_view name,
                                             std::vector<refusal>* refused = nullptr);

}  // namespace weft::algorithm
