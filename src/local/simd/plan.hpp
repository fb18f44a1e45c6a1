// SPDX-License-Identifier: BSD-3-Clause
// Tables that a transform needs, the same for every instruction set.
#pragma once

#include <complex>
#include <vector>

#include "local/simd/radix_steps.hpp"
#include "weft/index.hpp"

namespace weft::local {

/// Radices with kernels of their own, and the largest prime done by summation.
inline constexpr int compiled_radices[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16};
inline constexpr int largest_summed_prime = 97;

[[nodiscard]] bool is_compiled(integer radix);

/// The cheapest sequence of radices whose product is `length`, and its cost in clock cycles per element
/// and vector of lines; no radices and infinite cost if a prime factor is too large.
struct factorisation {
  std::vector<int> radices;
  double cost = 0;
};
[[nodiscard]] factorisation factorise(integer length);

/// The cheapest length of at least `least` that factorises.
[[nodiscard]] integer padded_length(integer least);

/// One radix step; see radix_steps.hpp.
template <class T>
struct step_plan {
  int radix = 1;
  step_shape shape;
  std::vector<T> roots;  ///< groups * (radix - 1) interleaved complex numbers
};

/// Of `together` lines whose elements lie in turn. With `element_bytes` given, buffers of such elements are padded
/// where that avoids cache conflicts: they need room for `largest_padding` more elements.
template <class T>
[[nodiscard]] std::vector<step_plan<T>> plan_steps(const std::vector<int>& radices, integer together = 1,
                                                   integer element_bytes = 0);
inline constexpr integer largest_padding = 16;

/// exp(-2 pi i k/order) for k < count, interleaved.
template <class T>
[[nodiscard]] std::vector<T> roots_of_unity(integer order, integer count);

/// Bluestein's transform of `length` as a cyclic convolution of `padded` elements: the chirp
/// exp(-pi i j^2/length), and the transform of the conjugate chirp divided by `padded`; interleaved.
template <class T>
struct chirp_tables {
  std::vector<T> chirp;
  std::vector<T> spectrum;
};
template <class T>
[[nodiscard]] chirp_tables<T> plan_chirp(integer length, integer padded);

}  // namespace weft::local
