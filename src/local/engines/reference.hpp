// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "local/line_engine.hpp"

namespace weft::local {

/// Slow and simple: every line through serial_transform. For tests.
[[nodiscard]] const line_engine& reference_engine();

}  // namespace weft::local
