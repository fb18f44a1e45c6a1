// SPDX-License-Identifier: BSD-3-Clause
// What --transform says: one name for all axes, or a list with one for each.
#pragma once

#include <string>
#include <vector>

#include "index/line_kind.hpp"
#include "weft/problem.hpp"

namespace weft::tool {

using core::line_kind;

/// "c2c", "r2c", "dct2", "dct2,c2c,none". A single name waits for complete_transform(). Throws name_error.
void set_transform(problem& what, const std::string& text);
/// When the shape and the axes are known, if they are: names the kind of each axis, and what the arrays are. Throws
/// argument_error.
void complete_transform(problem& what);
/// The name, or the list.
[[nodiscard]] std::string transform_name(const problem& what);

/// The names that may be given.
[[nodiscard]] std::vector<std::string> transform_names();

/// What each axis becomes.
[[nodiscard]] std::vector<line_kind> kinds_of(const problem& what);
[[nodiscard]] bool is_complex(const problem& what, side which);

/// By these a sum of squares counts element k along an axis, so that that of the output is N times that of the input.
[[nodiscard]] double input_weight(line_kind kind, integer k, integer n);
[[nodiscard]] double output_weight(line_kind kind, integer k, integer n);
/// Of the element with the row-major number `flat` of the whole array on that side.
[[nodiscard]] double weight_of(const problem& what, const std::vector<line_kind>& kinds, side which, integer flat);

}  // namespace weft::tool
