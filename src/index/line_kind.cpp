#include "index/line_kind.hpp"

#include <algorithm>
#include <array>

namespace weft::core {

namespace {

integer one(integer /*length*/) { return 1; }
integer whole(integer length) { return length; }
integer half(integer length) { return length == 0 ? 0 : length / 2 + 1; }

constexpr auto real = element_type::real, complex = element_type::complex;

/// In the order of line_kind.
constexpr std::array<line_row, 5> table{{
    {line_kind::none, "none", complex, complex, whole, whole, line_kind::none, one, true, line_kind::none},
    {line_kind::c2c_forward, "c2c forward", complex, complex, whole, whole, line_kind::c2c_backward, whole, true,
     line_kind::c2c_forward},
    {line_kind::c2c_backward, "c2c backward", complex, complex, whole, whole, line_kind::c2c_forward, whole, false,
     line_kind::c2c_backward},
    {line_kind::r2c, "r2c", real, complex, whole, half, line_kind::c2r, whole, true, line_kind::c2c_forward},
    {line_kind::c2r, "c2r", complex, real, half, whole, line_kind::r2c, whole, false, line_kind::c2c_backward},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].kind != static_cast<line_kind>(i)) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

const line_row& row_of(line_kind kind) { return table[static_cast<std::size_t>(kind)]; }

bool is_fourier(line_kind kind) { return row_of(kind).later_digits != line_kind::none; }

int real_axis(const std::vector<line_kind>& kinds) {
  const auto found = std::ranges::find_if(kinds, [](line_kind k) { return row_of(k).in != row_of(k).out; });
  return found == kinds.end() ? -1 : static_cast<int>(found - kinds.begin());
}

element_type element_before(const std::vector<line_kind>& kinds) {
  return std::ranges::any_of(kinds, [](line_kind k) { return row_of(k).in == real; }) ? real : complex;
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
