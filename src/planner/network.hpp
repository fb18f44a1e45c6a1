// SPDX-License-Identifier: BSD-3-Clause
// What is known of the network between the nodes of a plan's ranks.
#pragma once

#include <string>

#include "planner/crew.hpp"
#include "planner/knowledge.hpp"
#include "planner/machine.hpp"

namespace weft::planner {

/// Collective; takes a fraction of a second. Ranks of several nodes are needed.
[[nodiscard]] network_level survey_network(const mpi::communicator& on, const exchange::node_map& nodes);

/// Figures of the network, and where they come from, in words.
struct network_figures {
  network_level of;
  std::string source;
};
/// Collective. Of these nodes, as this process or the file `wisdom` remembers them, else from a survey, which both then
/// remember. Without a file `wisdom` is empty, and nothing is `known`. The same on every rank.
[[nodiscard]] network_figures network_of(const crew& on, const knowledge& known, const std::string& wisdom);

}  // namespace weft::planner
