// SPDX-License-Identifier: BSD-3-Clause
// The headers of kernels as text, for compiling them when a program runs. The build writes the texts.
#pragma once

#include <span>

namespace weft::device {

struct kernel_source {
  const char* name;  ///< as it is included
  const char* text;
};
[[nodiscard]] std::span<const kernel_source> kernel_sources();

}  // namespace weft::device
