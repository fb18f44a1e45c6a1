// SPDX-License-Identifier: BSD-3-Clause
// Measures a machine model on the ranks at hand.
#pragma once

#include "mpi/communicator.hpp"
#include "planner/machine.hpp"

namespace weft::planner {

/// Collective, takes about a second; the same on every rank. What cannot be measured (a network where all ranks sit on
/// one node) keeps its built-in figure.
[[nodiscard]] machine survey(const mpi::communicator& on);

}  // namespace weft::planner
