#pragma once

#include "local/engine.hpp"

namespace weft::local {

/// FFTW 3, any length: bundles are staged in cache and go through one planned call.
[[nodiscard]] const engine& fftw_engine();

}  // namespace weft::local
