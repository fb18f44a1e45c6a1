// SPDX-License-Identifier: BSD-3-Clause
// Axes that a pass need not tell apart.
#pragma once

#include "local/pass.hpp"

namespace weft::local {

/// The same work with fewer axes: those that are not transformed and that both maps walk as one become
/// one, and those of extent 1 disappear. Bundles then run on from row to row, which keeps their lanes
/// complete and their addresses aligned where a single row would not. Nothing changes under pointwise operations.
[[nodiscard]] pass_problem with_joined_axes(pass_problem problem);

/// Whether stepping along `outer`, inside each of its pieces, goes on where a walk along `inner` ends.
[[nodiscard]] bool continues(const access_map& map, std::size_t outer, std::size_t inner);
/// Takes such an `inner` into `outer`; one position of it is left.
void join(access_map& map, std::size_t outer, std::size_t inner);

}  // namespace weft::local
