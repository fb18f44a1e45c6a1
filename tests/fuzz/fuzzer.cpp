// SPDX-License-Identifier: BSD-3-Clause
// One reader of texts, $WEFT_FUZZ, under libFuzzer. scripts/fuzz builds and runs it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/texts.hpp"

namespace {

const weft::testing::reader_of_texts* chosen = nullptr;

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* const asked = std::getenv("WEFT_FUZZ");
  for (const auto& one : weft::testing::readers_of_texts()) {
    if (asked != nullptr && one.name == asked) chosen = &one;
  }
  if (chosen == nullptr) {
    std::fputs("WEFT_FUZZ names no reader of texts\n", stderr);
    std::exit(2);
  }
  return 0;
}

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->take({reinterpret_cast<const char*>(data), size});
  return 0;
}
