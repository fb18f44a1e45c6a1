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

/// c2c, or r2c forward and c2r backward.
enum class transform_kind : char { c2c, r2c };

/// Where the factor 1/N (N = product of the transformed extents) goes.
enum class normalization : char {
  none,      ///< nowhere: backward(forward(x)) = N x
  forward,   ///< on the forward transform
  backward,  ///< on the backward transform, as numpy does
  ortho      ///< 1/sqrt(N) on both
};

}  // namespace weft
