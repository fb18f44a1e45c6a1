// SPDX-License-Identifier: BSD-3-Clause
// What the planner may choose from: the engines that reach the arrays and have the kinds of their lines.
#pragma once

#include <string>
#include <vector>

#include "exchange/engine.hpp"
#include "local/engine.hpp"
#include "planner/machine.hpp"
#include "schedule/schedule.hpp"
#include "weft/problem.hpp"

namespace weft::planner {

/// What the planner may choose.
struct freedom {
  std::string algorithm = "auto";
  std::string exchange = "auto";  ///< an engine, a list with one for each exchange, or "auto"
  std::string local = "auto";
  int threads = 1;  ///< 0: up to `cores`
  int cores = 1;    ///< that a rank has to itself
  bool idle_ranks = true;
  bool on_device = false;    ///< arrays are in a device's memory
  bool on_cards = false;     ///< of a vendor's device, not of one that the host plays
  bool mpi_reaches = false;  ///< MPI sends from there
  int ranks_of_device = 1;   ///< the most that share one
  bool cufft_is_there = false;
  bool messages_only = false;  ///< no engine that works in memory that ranks share
};

/// What options leave open where so many ranks share a device, at most. Throws applicability_error for engines that do
/// not reach arrays where they are.
[[nodiscard]] freedom freedom_of(const options& how, int ranks_of_device = 1);

/// The exchange engines that may be chosen where none is named.
[[nodiscard]] std::vector<const exchange::engine*> engines_at_hand(const freedom& open, int ranks, const machine& on);

/// A kind of lines in `s`, forward or backward, that `by` does not have; none if it has them all.
[[nodiscard]] line_kind lacking(const local::engine& by, const schedule& s);

/// The engine of that name, or for "auto" the first that has the kinds of `s`.
[[nodiscard]] const local::engine& local_for(const freedom& open, const schedule& s, precision element);

}  // namespace weft::planner
