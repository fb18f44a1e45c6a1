#pragma once

#include "local/engine.hpp"

namespace weft::local {

/// Slow and simple: every line through serial_transform. For tests.
[[nodiscard]] const engine& reference_engine();

}  // namespace weft::local
