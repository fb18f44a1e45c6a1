// What the lines along an axis of an array become: a table with a row for each kind. Whoever asks what a transform
// does to elements, extents or sizes asks the table, so that another kind is another row and no case elsewhere.
#pragma once

#include <cstddef>
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

/// Forward uses exp(-2 pi i jk/n), backward exp(+2 pi i jk/n); no kind scales.
enum class line_kind : char { none, c2c_forward, c2c_backward, r2c, c2r };

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
  /// What the digits behind the first become where a line is transformed digit by digit; none: it cannot be.
  line_kind later_digits;
};

[[nodiscard]] const line_row& row_of(line_kind kind);

/// Whether it is one of those of the discrete Fourier transform.
[[nodiscard]] bool is_fourier(line_kind kind);

// Of an array whose axes have the forward kinds `kinds`, one each:

/// The axis that takes real elements to complex ones, -1 for none.
[[nodiscard]] int real_axis(const std::vector<line_kind>& kinds);
/// The elements before all transforms and after them; those of an array that is not transformed are complex.
[[nodiscard]] element_type element_before(const std::vector<line_kind>& kinds);
[[nodiscard]] element_type element_after(const std::vector<line_kind>& kinds);
/// Extents after all transforms.
[[nodiscard]] extents extents_after(const extents& shape, const std::vector<line_kind>& kinds);
/// There and back multiplies the array by this.
[[nodiscard]] double logical_size(const extents& shape, const std::vector<line_kind>& kinds);

/// Kinds of an array of `count` axes: r2c along `real_axis`, unless that is -1, and c2c along the others of `axes`.
[[nodiscard]] std::vector<line_kind> fourier_kinds(std::size_t count, const std::vector<int>& axes, int real_axis);

}  // namespace weft::core
