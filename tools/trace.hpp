// SPDX-License-Identifier: BSD-3-Clause
// What every rank did in one repetition, and its written forms: a Chrome trace and a chart.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "clocks.hpp"
#include "ranks.hpp"
#include "weft/plan.hpp"

namespace weft::tool {

/// Seconds on the root's clock since the first rank began.
struct trace_event {
  direction way = direction::forward;
  int position = 0;
  std::string stage;
  activity kind = activity::transform;
  double begin = 0, end = 0;
  int exchange = -1;  ///< position of the one that the rank started last in this direction; -1: none yet
  double late =
      0;  ///< how much of it, from its beginning, the rank waits or exchanges before all have started that one
  [[nodiscard]] double seconds() const { return end - begin; }
};

struct trace {
  std::vector<std::string> nodes;
  std::vector<int> node_of;                      ///< by rank
  std::vector<std::vector<trace_event>> events;  ///< by rank, in order of time
  double seconds = 0;                            ///< until the last rank was done
  double clock_error = 0;                        ///< of clocks of other nodes than the root's, at most
};

/// How evenly the ranks share a stage, a pass or an exchange.
struct stage_balance {
  direction way = direction::forward;
  int position = 0;
  std::string stage;
  bool is_exchange = false;
  double seconds = 0;  ///< longest of the ranks; of a pass without the waiting in it
  int slowest = 0;     ///< the rank that works longest or, in an exchange, comes last
  /// Mean over the others: how much sooner they are done or, in an exchange, how long they wait before the last one
  /// comes. Where only some ranks exchange with each other, they may wait for something else.
  double others_wait = 0;
  double waiting = 0;  ///< in recorded waits, mean over ranks
};

/// What the report says about a trace.
struct trace_summary {
  std::string file, chart;
  double seconds = 0, clock_error = 0;
  double least_exchanging = 0, most_exchanging = 0;  ///< shares of the time, of the ranks with the least and most
  std::vector<stage_balance> balance;
};

/// Collective, after a recorded repetition. The root has the trace, the others have an empty one.
[[nodiscard]] trace gather_trace(const plan& recorded, const ranks& all);

[[nodiscard]] std::vector<stage_balance> balance_of(const trace& t);
/// One line for people.
[[nodiscard]] std::string to_text(const stage_balance& b);

[[nodiscard]] const char* name_of(activity kind);
[[nodiscard]] const char* name_of(direction way);

/// For viewers of Chrome traces, such as Perfetto.
[[nodiscard]] nlohmann::ordered_json to_chrome_json(const trace& t, const std::string& title);
/// A row for each rank.
[[nodiscard]] std::string to_svg(const trace& t, const std::string& title);
/// `file` with .svg instead of its ending.
[[nodiscard]] std::string chart_beside(const std::string& file);
/// Writes both, root only; `note` tells what could not be written.
[[nodiscard]] trace_summary write_trace(const trace& t, const std::string& file, const std::string& title,
                                        std::string& note);

}  // namespace weft::tool
