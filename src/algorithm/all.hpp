// SPDX-License-Identifier: BSD-3-Clause
// One function per algorithm file.
#pragma once

#include "algorithm/algorithm.hpp"

namespace weft::algorithm {

[[nodiscard]] proposal propose_local(const task& problem);
[[nodiscard]] proposal propose_slab(const task& problem);
[[nodiscard]] proposal propose_pencil(const task& problem);
[[nodiscard]] proposal propose_highdim(const task& problem);
[[nodiscard]] proposal propose_fewexchange(const task& problem);
[[nodiscard]] proposal propose_brick(const task& problem);
[[nodiscard]] proposal propose_cyclic(const task& problem);
[[nodiscard]] proposal propose_volumetric(const task& problem);
[[nodiscard]] proposal propose_groupcyclic(const task& problem);
[[nodiscard]] proposal propose_mixed(const task& problem);

}  // namespace weft::algorithm
