// SPDX-License-Identifier: BSD-3-Clause
// The native engine: kernels across lines, one line per vector lane, for any length.
#pragma once

#include "local/line_engine.hpp"

namespace weft::local {

[[nodiscard]] const line_engine& weft_engine();

}  // namespace weft::local
