// SPDX-License-Identifier: BSD-3-Clause
// The kernel of the second digit of a cosine transform: an engine's own of complex lines, and the parts of its results.
#pragma once

#include <memory>

#include "local/line_engine.hpp"

namespace weft::local {

/// How many lanes suit such lines: short ones take longer to be found than to be transformed, so bundles are as large
/// as leave all buffers of a kernel in a first cache. Twice as large, they took four times as long.
[[nodiscard]] int lanes_of_cosine_digits(integer length, precision element);

/// The kind of `problem` is that of such a digit.
[[nodiscard]] std::unique_ptr<kernel> make_cosine_digit_kernel(const line_problem& problem, const line_engine& by);

}  // namespace weft::local
