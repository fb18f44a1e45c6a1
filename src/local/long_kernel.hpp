// SPDX-License-Identifier: BSD-3-Clause
// The kernel for lines that no cache holds. It works on one line at a time: lines that are one run on either side are
// loaded and stored where they lie, others go through a buffer.
#pragma once

#include <memory>

#include "local/kernel.hpp"

namespace weft::local {

class line_engine;

/// Whether lines should be done so rather than as a bundle in cache.
[[nodiscard]] bool is_long_line(line_kind kind, integer length, precision element);

/// How many lines to hand over at once: a cache line's worth, since that much is loaded anyway where they are not
/// contiguous.
[[nodiscard]] int lanes_of_long_lines(precision element);

/// `by` has kernels for the digits.
[[nodiscard]] std::unique_ptr<kernel> make_long_kernel(const line_problem& problem, const line_engine& by);

}  // namespace weft::local
