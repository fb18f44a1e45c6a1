// SPDX-License-Identifier: BSD-3-Clause
// The answer to compare with: an independent serial transform of the same input.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "field.hpp"
#include "ranks.hpp"
#include "weft/problem.hpp"

namespace weft::tool {

/// The axes that are transformed, all of them, rising.
[[nodiscard]] std::vector<int> transformed_axes(const problem& what);
/// The axis that a real transform halves; -1 for none.
[[nodiscard]] int halved_axis(const problem& what);
/// What there and back multiplies by: of Fourier transforms the product of the transformed extents.
[[nodiscard]] double transform_length(const problem& what);

/// Relative L2 error that rounding may reach.
[[nodiscard]] double tolerance(const problem& what);

using serial_chunk = std::span<const std::complex<double>>;

/// Collective: the root transforms one batch member of the whole input, and every rank is shown all of the output, of
/// `shape`, part after part: visit(place of the first element, elements).
void each_serial_chunk(const problem& what, const extents& shape, std::uint64_t seed, integer batch_member,
                       const ranks& all, const std::function<void(integer, serial_chunk)>& visit);

/// Collective: the root transforms the whole input of one batch member after the other and every rank
/// compares what it owns. `output` is what forward() made of the input with this seed; it should be
/// `scale` times the unscaled transform.
[[nodiscard]] deviation compare_with_serial(const field& output, const problem& what, std::uint64_t seed, double scale,
                                            const ranks& all);

}  // namespace weft::tool
