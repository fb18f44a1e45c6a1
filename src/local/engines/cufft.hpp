// SPDX-License-Identifier: BSD-3-Clause
// The engine whose lines cuFFT transforms, in a card's memory.
#pragma once

#include <string>

#include "device/device.hpp"
#include "local/device_engines.hpp"
#include "local/engine.hpp"

namespace weft::local {

/// On `where`, which must live as long as the process.
[[nodiscard]] const engine& cufft_engine_on(const device::device& where);
/// Whether such lines are so slow by the device's other engine, `gpu`, that this one's copies are worth it.
[[nodiscard]] bool has_long_way(const line_sort& line, precision element);
/// Why it cannot be used there; empty if it can.
[[nodiscard]] std::string why_no_cufft_on(const device::device& where);

}  // namespace weft::local
