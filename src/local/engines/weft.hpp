// The native engine: kernels across lines, one line per vector lane, for any length.
#pragma once

#include "local/engine.hpp"

namespace weft::local {

[[nodiscard]] const engine& weft_engine();

}  // namespace weft::local
