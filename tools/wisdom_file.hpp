// SPDX-License-Identifier: BSD-3-Clause
// Where the program keeps what it learns.
#pragma once

#include <string>

namespace weft::tool {

/// Stands for the usual file until that is asked for.
inline constexpr const char* usual_wisdom = "usual";

/// What --wisdom's default means: $WEFT_WISDOM if set ("none" for no file), else a file of the user's cache folder,
/// which is made if it is missing, and must be the user's own. Empty for no file.
[[nodiscard]] std::string usual_wisdom_file();

}  // namespace weft::tool
