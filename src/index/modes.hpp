// SPDX-License-Identifier: BSD-3-Clause
// Which modes of a transformed axis an array keeps: all, or the lowest ones. Forward drops the others, backward takes
// them as zeros.
#pragma once

#include <vector>

#include "index/access_map.hpp"
#include "index/line_kind.hpp"
#include "weft/index.hpp"

namespace weft::core {

/// Of the `length` positions of a whole line of modes an array keeps the first `low` and the last `high`, side by side.
/// With a gap it has an element more between these, which stands for no position: forward stores a zero there, backward
/// does not look.
struct kept_modes {
  integer length = 0;
  integer low = 0, high = 0;
  bool gap = false;

  /// Along the array.
  [[nodiscard]] integer extent() const { return low + (gap ? 1 : 0) + high; }
  [[nodiscard]] bool all() const { return low + high == length; }
  friend bool operator==(const kept_modes&, const kept_modes&) = default;
};

/// Those of an axis of the forward kind `kind` with `length` elements, if `modes` of them are asked for. In a real
/// transform the mirror image of a mode must be kept with it: an even number of modes, fewer than there are, then has a
/// gap at half of them.
[[nodiscard]] kept_modes kept_of(line_kind kind, integer length, integer modes, bool in_real_transform);

/// Of an array of `shape` whose axes have these forward kinds; empty `modes`: all of them.
[[nodiscard]] std::vector<kept_modes> kept_of(const extents& shape, const std::vector<line_kind>& kinds,
                                              const extents& modes);
/// Extents after all transforms.
[[nodiscard]] extents extents_after(const extents& shape, const std::vector<line_kind>& kinds, const extents& modes);

/// A map of an array as one of all positions along `axis`: those that it does not keep are nowhere.
[[nodiscard]] access_map spread(const access_map& array, int axis, const kept_modes& kept);
/// The part of a map that is the gap along `axis`, one element long there.
[[nodiscard]] access_map gap_of(const access_map& array, int axis, const kept_modes& kept);

}  // namespace weft::core
