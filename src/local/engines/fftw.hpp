// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "local/engine.hpp"

namespace weft::local {

/// FFTW 3, any length: bundles are staged in cache and go through one planned call. Null in a build without FFTW; the
/// build picks fftw.cpp or fftw_absent.cpp.
[[nodiscard]] const engine* fftw_engine();

}  // namespace weft::local
