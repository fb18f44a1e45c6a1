// SPDX-License-Identifier: BSD-3-Clause
// What splits and chains of them make of an axis.
#pragma once

#include <string_view>
#include <vector>

#include "base/core.hpp"
#include "weft/distribution.hpp"

namespace weft::core {

/// The positions of 0 .. extent-1 that coordinate `coordinate` of `parts` gets: `indices` are those
/// positions, `positions` their places in the new, shorter numbering.
[[nodiscard]] axis_part deal(const split& how, integer extent, int parts, int coordinate);

/// Where `deal` puts one position of 0 .. extent-1.
struct dealt_place {
  int coordinate = 0;    ///< who gets it
  integer position = 0;  ///< and where in the new numbering
};
[[nodiscard]] dealt_place place_of(const split& how, integer extent, int parts, integer position);

/// What the point `coordinates` of `on` owns of an axis of `extent` under `splits`.
[[nodiscard]] axis_part part_of(integer extent, const chain& splits, const grid& on,
                                const std::vector<int>& coordinates);

/// Whether `on` has every axis that the chains name, and the coordinates that they begin with.
[[nodiscard]] bool can_name(const grid& on, const std::vector<chain>& chains);
/// The point of `on` that owns index 0 of every axis, and so as much of each as any; of what is dealt zig-zag about the
/// half that is sure only where 2p divides it.
[[nodiscard]] std::vector<int> first_point(const std::vector<chain>& chains, const grid& on);
/// Its rank; of boxes the first.
[[nodiscard]] int first_rank(const distribution& d);

/// Back from to_text(chain).
[[nodiscard]] chain parse_chain(std::string_view text);
/// The chains of "[b0 * c1]" or "[b0 * c1]@2x3", for whatever grid; throws distribution_error unless there is one for
/// each axis of `shape`.
[[nodiscard]] std::vector<chain> parse_chains(std::string_view text, const extents& shape);

}  // namespace weft::core
