// SPDX-License-Identifier: BSD-3-Clause
// The kernel of the second digit of a cosine transform: an engine's own of complex lines, and the parts of its results.
#pragma once

#include <memory>

#include "local/line_engine.hpp"

namespace weft::local {

/// How many lanes suit such lines: few elements are found bundle by bundle, so bundles are as large as a first cache
/// takes.
[[nodiscard]] int lanes_of_cosine_digits(integer length, precision element);

/// The kind of `problem` is that of such a digit.
[[nodiscard]] std::unique_ptr<kernel> make_cosine_digit_kernel(const line_problem& problem, const line_engine& by);

}  // namespace weft::local
