// SPDX-License-Identifier: BSD-3-Clause
// What the engine needs of the kernels: the best ones this processor can run.
#pragma once

#include <memory>

#include "local/kernel.hpp"

namespace weft::local {

/// Lines that one vector holds.
[[nodiscard]] int native_width_f32();
[[nodiscard]] int native_width_f64();

[[nodiscard]] std::unique_ptr<kernel> make_native_kernel_f32(const line_problem& problem);
[[nodiscard]] std::unique_ptr<kernel> make_native_kernel_f64(const line_problem& problem);

}  // namespace weft::local
