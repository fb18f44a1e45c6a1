// SPDX-License-Identifier: BSD-3-Clause
// A plan's arguments as text, for comparing them across ranks and with what is known.
#pragma once

#include <vector>

#include "mpi/agreement.hpp"
#include "weft/problem.hpp"

namespace weft::planner {

/// Those that the choice of a strategy depends on.
[[nodiscard]] std::vector<mpi::argument> deciding_arguments(const problem& what, const options& how);
/// Those and all others that must be the same on every rank.
[[nodiscard]] std::vector<mpi::argument> arguments_of(const problem& what, const options& how);

}  // namespace weft::planner
