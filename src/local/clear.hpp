// SPDX-License-Identifier: BSD-3-Clause
// Zeros where a map points.
#pragma once

#include <cstddef>

#include "local/pass.hpp"

namespace weft::local {

/// All elements of the map. Allocates nothing.
void clear(const access_map& map, buffer_list buffers, std::size_t element_bytes);

}  // namespace weft::local
