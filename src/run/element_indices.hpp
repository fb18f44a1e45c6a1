// SPDX-License-Identifier: BSD-3-Clause
// Which elements of the array a pass has in its hands, also where it sees axes as digits.
#pragma once

#include <span>
#include <vector>

#include "local/operations.hpp"
#include "local/pass.hpp"
#include "schedule/schedule.hpp"

namespace weft::run {

/// Global indices of what `rank` has along each axis that is seen at a station of modes, by position in the maps of a
/// pass that does `transforms`: of lines that it transforms all positions are there. What stands for no mode has the
/// index -1.
[[nodiscard]] std::vector<extents> seen_indices(const schedule& s, const station& here, int rank,
                                                std::span<const local::axis_transform> transforms);

/// A function of lines of the array, as one of lines at a station of modes. The modes that a digit of a halved axis
/// leaves twice, and those that stand for their mirror images, are told by where they are stored.
[[nodiscard]] local::pointwise seen_by(const local::pointwise& function, const schedule& s, const station& here,
                                       int rank);

}  // namespace weft::run
