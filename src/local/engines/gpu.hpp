// SPDX-License-Identifier: BSD-3-Clause
// The engine whose passes a device runs, in its memory.
#pragma once

#include "device/device.hpp"
#include "local/engine.hpp"

namespace weft::local {

/// On the device that the host plays, whose memory is the host's: slow, for tests.
[[nodiscard]] const engine& gpu_engine();
/// On `where`, which must live as long as the process.
[[nodiscard]] const engine& gpu_engine_on(const device::device& where);

}  // namespace weft::local
