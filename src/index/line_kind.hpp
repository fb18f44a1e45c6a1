// SPDX-License-Identifier: BSD-3-Clause
// What the lines along an axis of an array become: a table with a row for each kind. Whoever asks what a transform
// does to elements, extents or sizes asks the table, so that another kind is another row and no case elsewhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/core.hpp"
#include "weft/index.hpp"
#include "weft/types.hpp"

namespace weft::core {

/// What an array is made of, in one precision or another.
enum class element_type : char { real, complex };

[[nodiscard]] constexpr std::size_t bytes_of(element_type type, precision p) {
  return type == element_type::real ? real_bytes(p) : complex_bytes(p);
}

/// Forward uses exp(-2 pi i jk/n), backward exp(+2 pi i jk/n); no kind scales. Cosine and sine transforms are those of
/// FFTW (REDFT00, 10, 01, 11 and RODFT00, 10, 01, 11). The second eight do the same to complex elements: to the real
/// parts of a line, and to the imaginary ones.
///
/// The last four are digits of cosine transforms. With y(t) = exp(-2 pi i t/4n) sum_s x(s) exp(-2 pi i st/n), the
/// second digit of a dct2 or dct4 takes n complex numbers x to 2n real ones: twice the real parts of all y, and behind
/// them twice the imaginary parts, negated; that of a dct3 takes n real numbers a and n more, b, to x(s) = sum_t (a(t)
/// - i b(t)) exp(2 pi i (t/4n + st/n)). The first digit of a dct4 takes 2n real numbers to the n complex ones sum_k
/// (a(k) + i b(k)) exp(-2 pi i (k/4n + kt/n)), where a are the first and b the others; and back, times 2.
enum class line_kind : char {
  none,
  c2c_forward,
  c2c_backward,
  r2c,
  c2r,
  dct1,
  dct2,
  dct3,
  dct4,
  dst1,
  dst2,
  dst3,
  dst4,
  complex_dct1,
  complex_dct2,
  complex_dct3,
  complex_dct4,
  complex_dst1,
  complex_dst2,
  complex_dst3,
  complex_dst4,
  dct2_digit,
  dct3_digit,
  dct4_digit,
  dct4_digit_back
};

struct line_row {
  line_kind kind;
  std::string_view name;
  element_type in, out;
  /// Elements of a line that are read and written, given its logical length: how many reals a real transform has.
  integer (*in_extent)(integer length);
  integer (*out_extent)(integer length);
  line_kind inverse;
  /// There and back multiplies a line by this.
  integer (*logical_size)(integer length);
  bool forward;  ///< the sign of the exponent
  /// What the first digit and those behind it become where a line is transformed digit by digit; none: it cannot be.
  /// Digits that go backward are transformed from the last to the first.
  line_kind first_digit, later_digits;
  /// The same of complex elements, where this is of real ones and there is such a kind; otherwise itself.
  line_kind on_complex;
  /// Lines of fewer elements, but not none, it does not have.
  integer least_length = 1;
};

[[nodiscard]] const line_row& row_of(line_kind kind);

/// Whether it is one of those of the discrete Fourier transform.
[[nodiscard]] bool is_fourier(line_kind kind);
/// Whether it is a cosine or sine transform, of real elements or of complex ones.
[[nodiscard]] bool is_trigonometric(line_kind kind);
/// Whether it is a digit of one, where that is of no other kind.
[[nodiscard]] bool is_trigonometric_digit(line_kind kind);

/// What a cosine or sine transform of complex elements does to each of their parts; of others, itself.
[[nodiscard]] line_kind on_reals(line_kind kind);

/// What users call the forward kinds of axes: "none", "c2c", "r2c", "dct1" to "dct4", "dst1" to "dst4".
[[nodiscard]] std::string_view user_name(line_kind forward);
/// Throws name_error for an unknown name.
[[nodiscard]] line_kind kind_named(std::string_view user_name);
/// "dct2,c2c,none", and back; throws name_error, too.
[[nodiscard]] std::string to_text(const std::vector<line_kind>& forward);
[[nodiscard]] std::vector<line_kind> parse_kinds(std::string_view text);

// Of an array whose axes have the forward kinds `kinds`, one each:

/// The axis that takes real elements to complex ones, -1 for none.
[[nodiscard]] int real_axis(const std::vector<line_kind>& kinds);
/// The elements before all transforms and after them. Without an axis that changes them they are real if no kind needs
/// complex ones and one can do with real ones.
[[nodiscard]] element_type element_before(const std::vector<line_kind>& kinds);
[[nodiscard]] element_type element_after(const std::vector<line_kind>& kinds);
/// Extents after all transforms.
[[nodiscard]] extents extents_after(const extents& shape, const std::vector<line_kind>& kinds);
/// There and back multiplies the array by this.
[[nodiscard]] double logical_size(const extents& shape, const std::vector<line_kind>& kinds);

/// Kinds of an array of `count` axes: r2c along `real_axis`, unless that is -1, and c2c along the others of `axes`.
[[nodiscard]] std::vector<line_kind> fourier_kinds(std::size_t count, const std::vector<int>& axes, int real_axis);

}  // namespace weft::core
