// SPDX-License-Identifier: BSD-3-Clause
// What two progressions have in common.
#pragma once

#include "base/core.hpp"
#include "weft/index.hpp"

namespace weft::core {

/// The common terms of two progressions: again a progression (Chinese remainder theorem).
[[nodiscard]] slice intersect(const slice& a, const slice& b);

}  // namespace weft::core
