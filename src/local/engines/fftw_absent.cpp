// SPDX-License-Identifier: BSD-3-Clause
#include "local/engines/fftw.hpp"

namespace weft::local {

const engine* fftw_engine() { return nullptr; }

}  // namespace weft::local
