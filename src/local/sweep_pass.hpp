// SPDX-License-Identifier: BSD-3-Clause
// A pass that a device runs in its own memory, as sweeps.
#pragma once

#include <memory>

#include "device/device.hpp"
#include "local/pass.hpp"

namespace weft::local {

/// Of a pass with at least one transform, which may be of kind none. Throws applicability_error for what no kernel
/// does.
[[nodiscard]] std::unique_ptr<pass> make_sweep_pass(const pass_problem& problem, const device::device& on);

}  // namespace weft::local
