// SPDX-License-Identifier: BSD-3-Clause
// Axes seen as digits of their indices, which is how a transform is made parallel inside an axis.
//
// The index of an axis of n = f1 f2 ... fr elements is written with r digits. Before the transform the
// first digit is the most significant one, after it the last: transforming the digits one after the
// other, with twiddles between, reverses their order (Cooley and Tukey).
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "index/access_map.hpp"
#include "weft/index.hpp"

namespace weft::core {

/// For each axis of the array the sizes of its digits; one entry for an axis seen whole. Empty: all are.
using digit_list = std::vector<extents>;

using weft::to_text;  // which those of this namespace would hide

/// "16x4,64,5x5"
[[nodiscard]] std::string to_text(const digit_list& digits);
[[nodiscard]] digit_list parse_digits(std::string_view text);

/// The shape of the array seen so.
[[nodiscard]] extents shape_of(const digit_list& digits);

/// Where axis `axis` of the array begins among the axes that are seen.
[[nodiscard]] int first_digit(const digit_list& digits, int axis);

/// An axis that is seen: which digit of which axis of the array.
struct digit_place {
  int axis = 0;
  int digit = 0;
};
[[nodiscard]] digit_place place_of_digit(const digit_list& digits, int seen_axis);
/// Whether less significant digits (before the transform) of the same axis follow.
[[nodiscard]] bool has_later_digit(const digit_list& digits, int seen_axis);

/// Which end of the digits is the significant one.
enum class digit_order : char { first_leads, last_leads };

/// Multiplication of element k of a line by exp(-2 pi i k shift / period), or its conjugate.
struct rotation {
  integer shift = 0;
  integer period = 1;
  friend auto operator<=>(const rotation&, const rotation&) = default;
};

/// A map of an array with the local shape of whole axes, as a map of the local shape `seen` of its
/// digits; none where an axis of several pieces has several digits on this rank.
[[nodiscard]] std::optional<access_map> seen_as(const access_map& whole, const digit_list& digits, const extents& seen,
                                                digit_order order);

}  // namespace weft::core
