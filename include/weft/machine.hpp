// SPDX-License-Identifier: BSD-3-Clause
// Figures of the machine at hand, for plans that estimate.
#pragma once

#include <mpi.h>

#include <string>

namespace [[gnu::visibility("default")]] weft {

/// Collective. A machine model of the ranks of `on`, as text for options::machine: latency and bandwidth of messages
/// inside nodes and between them, of shared memory and of copies, barriers, and rates of lines in cache. Measuring
/// takes about a second. With a file of wisdom it is measured once: what is known there is returned, what is measured
/// is kept there if it can be written. Throws the same error on every rank.
[[nodiscard]] std::string measure_machine(MPI_Comm on, const std::string& wisdom_file = {});

}  // namespace weft
