// SPDX-License-Identifier: BSD-3-Clause
// Binding and opening programs on the ranks of a communicator. Both are collective and throw the same error on every
// rank; what a rank does alone in between, and might fail at, is agreed before anybody waits.
#pragma once

#include <memory>

#include "mpi/communicator.hpp"
#include "run/execution.hpp"

namespace weft::run {

/// Throws buffer_error if the memory limit is too low.
[[nodiscard]] std::shared_ptr<const program> bind(const schedule& s, const binding& how, const memory_needs& existing,
                                                  const mpi::communicator& on);

/// The same as a list or, if `led`, for ranks that share one device and arrays on it, whose passes the first of them
/// runs: processes of one device take turns on it, and each turn takes longer than many a pass. All exchanges are by
/// engines that share memory then.
[[nodiscard]] program_list bind_programs(const schedule& s, const binding& how, const memory_needs& existing,
                                         const mpi::communicator& on, bool led);

/// Which ranks share memory, by the node's communicators.
[[nodiscard]] std::shared_ptr<const exchange::node_map> nodes_of(const mpi::communicator& on,
                                                                 const mpi::communicator& node);

/// Makes the memory large enough first.
[[nodiscard]] std::unique_ptr<execution> open(std::shared_ptr<const program> what, std::shared_ptr<workspace> memory,
                                              const mpi::communicator& on);
[[nodiscard]] std::unique_ptr<execution> open_led(program_list programs, std::shared_ptr<workspace> memory,
                                                  const mpi::communicator& on, double patience);
/// One that may be under way while others are: its collective calls have communicators of their own, those of `lane`.
[[nodiscard]] std::unique_ptr<execution> open_overlapping(std::shared_ptr<const program> what,
                                                          std::shared_ptr<workspace> memory,
                                                          const mpi::communicator& on, int lane);

}  // namespace weft::run
