// SPDX-License-Identifier: BSD-3-Clause
#include "index/line_kind.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::core {

namespace {

integer one(integer /*length*/) { return 1; }
integer whole(integer length) { return length; }
integer half(integer length) { return length == 0 ? 0 : length / 2 + 1; }
integer pairs(integer length) { return length / 2; }

integer twice(integer length) { return 2 * length; }
integer twice_less(integer length) { return length == 0 ? 0 : 2 * (length - 1); }
integer twice_more(integer length) { return length == 0 ? 0 : 2 * (length + 1); }

constexpr auto real = element_type::real, complex = element_type::complex;

/// The cosine or sine transform `kind`, of real elements, and what stands for it where they are complex.
constexpr line_row trigonometric(line_kind kind, std::string_view name, line_kind inverse, integer (*size)(integer),
                                 line_kind on_complex, integer least = 1) {
  return {kind,       name, real, real, whole, whole, inverse, size, true, line_kind::none, line_kind::none,
          on_complex, least};
}
constexpr line_row of_complex(line_kind kind, std::string_view name, line_kind inverse, integer (*size)(integer),
                              integer least = 1) {
  return {kind, name, complex,         complex,         whole, whole, inverse,
          size, true, line_kind::none, line_kind::none, kind,  least};
}
/// A kind with digits of its own.
constexpr line_row split_into(line_row whole, line_kind first, line_kind later) {
  whole.first_digit = first;
  whole.later_digits = later;
  return whole;
}

using enum line_kind;

/// In the order of line_kind.
constexpr std::array<line_row, 25> table{{
    {none, "none", complex, complex, whole, whole, none, one, true, none, none, none},
    {c2c_forward, "c2c forward", complex, complex, whole, whole, c2c_backward, whole, true, c2c_forward, c2c_forward,
     c2c_forward},
    {c2c_backward, "c2c backward", complex, complex, whole, whole, c2c_forward, whole, false, c2c_backward,
     c2c_backward, c2c_backward},
    {r2c, "r2c", real, complex, whole, half, c2r, whole, true, r2c, c2c_forward, r2c},
    {c2r, "c2r", complex, real, half, whole, r2c, whole, false, c2r, c2c_backward, c2r},
    trigonometric(dct1, "dct1", dct1, twice_less, complex_dct1, 2),
    split_into(trigonometric(dct2, "dct2", dct3, twice, complex_dct2), r2c, dct2_digit),
    split_into(trigonometric(dct3, "dct3", dct2, twice, complex_dct3), c2r, dct3_digit),
    split_into(trigonometric(dct4, "dct4", dct4, twice, complex_dct4), dct4_digit, dct2_digit),
    trigonometric(dst1, "dst1", dst1, twice_more, complex_dst1),
    trigonometric(dst2, "dst2", dst3, twice, complex_dst2),
    trigonometric(dst3, "dst3", dst2, twice, complex_dst3),
    trigonometric(dst4, "dst4", dst4, twice, complex_dst4),
    of_complex(complex_dct1, "dct1 of complex elements", complex_dct1, twice_less, 2),
    of_complex(complex_dct2, "dct2 of complex elements", complex_dct3, twice),
    of_complex(complex_dct3, "dct3 of complex elements", complex_dct2, twice),
    of_complex(complex_dct4, "dct4 of complex elements", complex_dct4, twice),
    of_complex(complex_dst1, "dst1 of complex elements", complex_dst1, twice_more),
    of_complex(complex_dst2, "dst2 of complex elements", complex_dst3, twice),
    of_complex(complex_dst3, "dst3 of complex elements", complex_dst2, twice),
    of_complex(complex_dst4, "dst4 of complex elements", complex_dst4, twice),
    {dct2_digit, "dct2 digit", complex, real, whole, twice, dct3_digit, twice, true, none, none, dct2_digit},
    {dct3_digit, "dct3 digit", real, complex, twice, whole, dct2_digit, twice, false, none, none, dct3_digit},
    {dct4_digit, "dct4 digit", real, complex, whole, pairs, dct4_digit_back, whole, true, none, none, dct4_digit},
    {dct4_digit_back, "dct4 digit back", complex, real, pairs, whole, dct4_digit, whole, false, none, none,
     dct4_digit_back},
}};

/// What users may ask for, by the names above but for this one.
constexpr line_kind forward_kinds[] = {none, c2c_forward, r2c, dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4};

constexpr bool in_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].kind != static_cast<line_kind>(i)) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

const line_row& row_of(line_kind kind) { return table[static_cast<std::size_t>(kind)]; }

bool is_fourier(line_kind kind) { return kind != none && row_of(kind).first_digit == kind; }

bool is_trigonometric(line_kind kind) { return kind != none && !is_fourier(kind) && !is_trigonometric_digit(kind); }

bool is_trigonometric_digit(line_kind kind) {
  constexpr line_kind digits[] = {dct2_digit, dct3_digit, dct4_digit, dct4_digit_back};
  return std::ranges::find(digits, kind) != std::end(digits);
}

line_kind on_reals(line_kind kind) {
  const auto found = std::ranges::find_if(
      table, [&](const line_row& row) { return row.in == real && row.out == real && row.on_complex == kind; });
  return found == table.end() ? kind : found->kind;
}

std::string_view user_name(line_kind forward) { return forward == c2c_forward ? "c2c" : row_of(forward).name; }

line_kind kind_named(std::string_view name) {
  std::vector<std::string> known;
  for (const line_kind kind : forward_kinds) {
    if (user_name(kind) == name) return kind;
    known.emplace_back(user_name(kind));
  }
  throw name_error("unknown kind of transform '" + std::string(name) + "'; known: " + base::join(known));
}

std::string to_text(const std::vector<line_kind>& forward) {
  std::vector<std::string> names;
  for (const line_kind kind : forward) names.emplace_back(user_name(kind));
  return base::join(names, ",");
}

std::vector<line_kind> parse_kinds(std::string_view text) {
  std::vector<line_kind> kinds;
  for (const auto name : base::split_text(text, ',')) kinds.push_back(kind_named(name));
  return kinds;
}

int real_axis(const std::vector<line_kind>& kinds) {
  const auto found = std::ranges::find_if(kinds, [](line_kind k) { return row_of(k).in != row_of(k).out; });
  return found == kinds.end() ? -1 : static_cast<int>(found - kinds.begin());
}

element_type element_before(const std::vector<line_kind>& kinds) {
  if (const int axis = real_axis(kinds); axis >= 0) return row_of(kinds[static_cast<std::size_t>(axis)]).in;
  bool any = false;
  for (const line_kind k : kinds) {
    if (k == none) continue;
    if (row_of(k).in == complex) return complex;
    any = true;
  }
  return any ? real : complex;
}

element_type element_after(const std::vector<line_kind>& kinds) {
  const int axis = real_axis(kinds);
  return axis < 0 ? element_before(kinds) : row_of(kinds[static_cast<std::size_t>(axis)]).out;
}

extents extents_after(const extents& shape, const std::vector<line_kind>& kinds) {
  extents after = shape;
  for (std::size_t l = 0; l < shape.size(); ++l) after[l] = row_of(kinds[l]).out_extent(shape[l]);
  return after;
}

double logical_size(const extents& shape, const std::vector<line_kind>& kinds) {
  double size = 1;
  for (std::size_t l = 0; l < shape.size(); ++l) size *= static_cast<double>(row_of(kinds[l]).logical_size(shape[l]));
  return size;
}

std::vector<line_kind> fourier_kinds(std::size_t count, const std::vector<int>& axes, int real_axis) {
  std::vector<line_kind> kinds(count, line_kind::none);
  for (const int axis : axes) {
    kinds[static_cast<std::size_t>(axis)] = axis == real_axis ? line_kind::r2c : line_kind::c2c_forward;
  }
  return kinds;
}

}  // namespace weft::core
