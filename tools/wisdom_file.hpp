// Where the program keeps what it learns.
#pragma once

#include <string>

namespace weft::tool {

/// What --wisdom's default means: $WEFT_WISDOM if set ("none" for no file), else a file of the user's cache folder,
/// which is made if it is missing. Empty for no file.
[[nodiscard]] std::string usual_wisdom_file();

}  // namespace weft::tool
