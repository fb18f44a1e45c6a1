// SPDX-License-Identifier: BSD-3-Clause
// How a sweep is launched: by which kernel, with how many threads and how much of a block's fast memory.
#pragma once

#include "local/sweeps.hpp"

namespace weft::local {

/// Of a sweep that is known but for that. `alone`: no other may go from one queue with it.
void shape_launch(planned_sweep& p, bool alone, const device::device& on);
/// Of a sweep that has its shape: as many groups as its lines make.
void count_groups(planned_sweep& p, const device::device& on);

}  // namespace weft::local
