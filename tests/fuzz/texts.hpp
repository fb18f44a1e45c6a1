// SPDX-License-Identifier: BSD-3-Clause
// Whatever reads a text from outside, by name, with what must hold of it: it is refused with an error of Weft's, or it
// is understood, and what it says comes back from its own text. Anything else ends the process.
#pragma once

#include <span>
#include <string_view>

namespace weft::testing {

struct reader_of_texts {
  std::string_view name;
  void (*take)(std::string_view text);
};

[[nodiscard]] std::span<const reader_of_texts> readers_of_texts();

}  // namespace weft::testing
