// SPDX-License-Identifier: BSD-3-Clause
// Which positions of a transformed axis an array keeps: all, the lowest modes, or those of a box. Who transforms to
// them drops the others, who transforms from them takes the others as zeros.
#pragma once

#include <vector>

#include "index/absent.hpp"
#include "index/access_map.hpp"
#include "index/line_kind.hpp"
#include "weft/index.hpp"

namespace weft::core {

/// Of the `length` positions of a whole line an array keeps `low` from `first` on and the last `high`, side by side.
/// With a gap it has an element more between these, which stands for no position: forward stores a zero there, backward
/// does not look.
struct kept_modes {
  integer length = 0;
  integer low = 0, high = 0;
  bool gap = false;
  integer first = 0;  ///< of a box, which has neither high ones nor a gap

  /// Along the array.
  [[nodiscard]] integer extent() const { return low + (gap ? 1 : 0) + high; }
  [[nodiscard]] bool all() const { return low + high == length; }
  friend bool operator==(const kept_modes&, const kept_modes&) = default;
};

/// Those of an axis of the forward kind `kind` with `length` elements, if `modes` of them are asked for. In a real
/// transform the mirror image of a mode must be kept with it: an even number of modes, fewer than there are, then has a
/// gap at half of them.
[[nodiscard]] kept_modes kept_of(line_kind kind, integer length, integer modes, bool in_real_transform);

/// Those of an axis that lie in `part`; a box without corners has all.
[[nodiscard]] kept_modes kept_of(integer length, const box& part, int axis);
/// The positions that are not kept: none, or one range or two.
[[nodiscard]] absent_positions absent_of(const kept_modes& kept);

/// Of an array of `shape` whose axes have these forward kinds; empty `modes`: all of them.
[[nodiscard]] std::vector<kept_modes> kept_of(const extents& shape, const std::vector<line_kind>& kinds,
                                              const extents& modes);
/// Extents after all transforms; of the box, if it has corners.
[[nodiscard]] extents extents_after(const extents& shape, const std::vector<line_kind>& kinds, const extents& modes,
                                    const box& part = {});
/// Of what lies in `part`; a box without corners has all.
[[nodiscard]] extents extents_of(const extents& shape, const box& part);

/// A map of an array as one of all positions along `axis`: those that it does not keep are nowhere.
[[nodiscard]] access_map spread(const access_map& array, int axis, const kept_modes& kept);
/// The part of a map that is the gap along `axis`, one element long there.
[[nodiscard]] access_map gap_of(const access_map& array, int axis, const kept_modes& kept);

}  // namespace weft::core
