// SPDX-License-Identifier: BSD-3-Clause
// Element types and transform kinds: run-time values above the kernels.
#pragma once

#include <complex>
#include <cstddef>

namespace [[gnu::visibility("default")]] weft {

enum class precision : char { f32, f64 };

[[nodiscard]] constexpr std::size_t real_bytes(precision p) { return p == precision::f32 ? 4 : 8; }
[[nodiscard]] constexpr std::size_t complex_bytes(precision p) { return 2 * real_bytes(p); }

enum class direction : char { forward, backward };

/// Of a plan: what forward reads and backward writes, or the other one.
enum class side : char { input, output };

/// What the arrays are: complex on both sides; real on the input's and complex on the output's; real on both.
enum class transform_kind : char { c2c, r2c, r2r };

/// Where the factor 1/N goes. N is what backward(forward(x)) multiplies by: the product over the transformed axes of
/// n for c2c and r2c, 2(n-1) for dct1, 2(n+1) for dst1, 2n for the other cosine and sine transforms.
enum class normalization : char {
  none,      ///< nowhere: backward(forward(x)) = N x
  forward,   ///< on the forward transform
  backward,  ///< on the backward transform, as numpy does
  ortho      ///< 1/sqrt(N) on both
};

}  // namespace weft
