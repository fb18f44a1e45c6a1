// SPDX-License-Identifier: BSD-3-Clause
// What --machine names.
#pragma once

#include <string>

#include "ranks.hpp"

namespace weft::tool {

/// Collective. The text of a machine model: of that file, which the root reads; of the machine at hand for "measured",
/// from the wisdom file or measured now; empty for no name.
[[nodiscard]] std::string machine_text(const std::string& name, const std::string& wisdom, const ranks& all);

}  // namespace weft::tool
