// SPDX-License-Identifier: BSD-3-Clause
// Errors by their codes, which is how ranks tell each other of them.
#pragma once

#include <string>

#include "weft/error.hpp"

namespace weft::base {

/// Throws the typed error that belongs to `code`.
[[noreturn]] void raise(error_code code, const std::string& text);

}  // namespace weft::base
