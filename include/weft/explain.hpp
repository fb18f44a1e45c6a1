// SPDX-License-Identifier: BSD-3-Clause
// Why a plan is what it is: the candidates, what each would cost, what was measured, and what does not apply.
// explain() needs no MPI and no data, so that one process can plan for any number of ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weft/problem.hpp"

namespace [[gnu::visibility("default")]] weft {

/// One exchange: what the rank that sends most sends to ranks of its node and to others, and how long the slowest
/// takes.
struct exchange_estimate {
  integer node_messages = 0, node_bytes = 0;
  integer network_messages = 0, network_bytes = 0;
  double seconds = 0;
};

/// A way of doing the transform.
struct candidate_estimate {
  std::string algorithm;
  std::string schedule;
  std::string in, out;         ///< distributions, without the batch axis
  std::string exchange;        ///< engine, or a list with one for each exchange
  std::string local;           ///< engine
  int threads = 1;             ///< of each rank
  int parts = 0;               ///< most parts of a message; 0: as the engine likes
  int ranks = 0;               ///< that take part
  double seconds = 0;          ///< of one forward transform, by the model
  double compute_seconds = 0;  ///< its part for passes over memory and arithmetic
  int passes = 0;              ///< over a rank's array
  std::vector<exchange_estimate> exchanges;
  double array_bytes = 0;                  ///< of the largest local array on the way
  std::optional<double> measured_seconds;  ///< if it was timed
  std::optional<integer> workspace_bytes;  ///< of the rank that needs most; of the chosen one, and of what was timed
  std::string verdict;                     ///< "chosen", or why it was not
};

/// An algorithm that has no schedule for the problem.
struct refused_algorithm {
  std::string algorithm;
  std::string reason;
};

struct explanation {
  int ranks = 0;
  std::string machine;  ///< the model, as text
  std::string wisdom;   ///< what became of the wisdom file; empty without one
  /// The chosen one, then what was timed, fastest first, then the others, cheapest first. The chosen one need not be
  /// the cheapest: of schedules for a given input that cost about the same (20%) it is one with the fewest exchanges,
  /// and where arrays may lie anywhere one that splits the axes that related arrays do.
  std::vector<candidate_estimate> candidates;
  std::vector<refused_algorithm> refused;

  /// For people: a table of the best `most` candidates, why the others lost, and the chosen schedule.
  [[nodiscard]] std::string text(std::size_t most = 10) const;
};

/// What a plan of `what` on `ranks` ranks would choose from, and by which figures. Throws as a plan does.
[[nodiscard]] explanation explain(const problem& what, const options& how, int ranks);

}  // namespace weft
