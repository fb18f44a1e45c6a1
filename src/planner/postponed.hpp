// SPDX-License-Identifier: BSD-3-Clause
// Many short axes: which of them are transformed before an exchange and which behind it.
#pragma once

#include "planner/cost.hpp"
#include "schedule/schedule.hpp"

namespace weft::planner {

/// The same transform with fewer passes, if there is one that postpones transforms to behind the next exchange:
/// algorithms transform all axes that are whole, which may be one too many for a pass, while the pass behind the
/// exchange has room. The schedule itself if not. `all` is its cost, and becomes that of the result.
[[nodiscard]] schedule with_fewest_passes(schedule s, cost& all, pricer& prices);

}  // namespace weft::planner
