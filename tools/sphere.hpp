// SPDX-License-Identifier: BSD-3-Clause
// `weft run --sphere`: weft::plane_waves instead of one plan.
#pragma once

#include "ranks.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace weft::tool {

/// Collective. Forward is from the field to the waves.
[[nodiscard]] run_report run_sphere(const run_settings& asked, const ranks& all);

}  // namespace weft::tool
