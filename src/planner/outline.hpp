// SPDX-License-Identifier: BSD-3-Clause
// What a strategy means to one rank: its arrays and how its schedule is bound. Pure, so that one process can tell what
// any number of ranks would need.
#pragma once

#include <memory>

#include "algorithm/algorithm.hpp"
#include "planner/strategy.hpp"
#include "run/binding.hpp"
#include "weft/problem.hpp"

namespace weft::planner {

struct outline {
  outline(const problem& what, const options& how, const algorithm::task& task, const strategy& chosen, int rank,
          std::shared_ptr<const exchange::node_map> nodes, const device::device* on = nullptr);

  distribution input, output;                       ///< without the batch axis
  integer input_elements = 0, output_elements = 0;  ///< from the user's pointer to past the last
  std::size_t input_bytes = 0, output_bytes = 0;    ///< of an element
  schedule there, back;
  run::binding forward, backward;
  bool shares = false;     ///< some exchange works in shared memory
  bool can_share = false;  ///< and so could the user's arrays, as far as this rank can tell
};

/// Throws buffer_error if an array of the host's is larger than this machine's memory: lists of its lines would take
/// all of that before anybody could complain.
void require_memory(const outline& of, int rank);

/// Of the rank that needs most, as far as a few that stand for all can tell.
[[nodiscard]] integer workspace_of(const problem& what, const options& how, const algorithm::task& task,
                                   const strategy& chosen, const std::shared_ptr<const exchange::node_map>& nodes);

}  // namespace weft::planner
