// SPDX-License-Identifier: BSD-3-Clause
// Text helpers shared by every parser and every message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weft/index.hpp"

namespace weft::base {

[[nodiscard]] std::string_view trim(std::string_view text);
/// Pieces between separators, trimmed; an empty text has no pieces.
[[nodiscard]] std::vector<std::string_view> split_text(std::string_view text, char separator);
/// A decimal number of 64 bits; `what` names it in the argument_error.
[[nodiscard]] integer parse_integer(std::string_view text, std::string_view what);
/// "a, b, c".
[[nodiscard]] std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

}  // namespace weft::base
