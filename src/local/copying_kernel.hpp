// SPDX-License-Identifier: BSD-3-Clause
// The kernel of lines that are not transformed, for copies that operate on elements.
#pragma once

#include <memory>

#include "local/kernel.hpp"

namespace weft::local {

/// The kind of `problem` is none, and the elements are of `type`.
[[nodiscard]] std::unique_ptr<kernel> make_copying_kernel(const line_problem& problem, element_type type);

}  // namespace weft::local
