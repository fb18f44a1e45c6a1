// SPDX-License-Identifier: BSD-3-Clause
// Two sweeps of a pass from one queue, so that the second finds in the device's cache what the first one stored.
#pragma once

#include <cstddef>
#include <optional>

#include "local/sweeps.hpp"

namespace weft::local {

struct sweep_chain {
  device::sweep_order order;
  device::launch_shape how;  ///< of both
};

/// None if it cannot be, or if one after the other finds all in the cache, too. The axes are those of their lines.
[[nodiscard]] std::optional<sweep_chain> chain_of(const planned_sweep& first, const planned_sweep& second,
                                                  int first_axis, int second_axis, const device::device& on);

/// For sweeps with `bytes` of scratch between them, one after the other: makes that a ring of a few chunks, and says
/// how many bytes it has. 0: they need all of it, as they have no kernel that goes round.
[[nodiscard]] std::size_t make_ring(sweep_chain& chain, const planned_sweep& first, const planned_sweep& second,
                                    std::size_t bytes, const device::device& on);

}  // namespace weft::local
