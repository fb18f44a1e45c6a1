// The table of line kinds and what follows from it.
#include "index/line_kind.hpp"

#include <gtest/gtest.h>

#include "weft/error.hpp"

namespace weft::testing {
namespace {

std::vector<line_kind> all_kinds() {
  std::vector<line_kind> kinds;
  for (int k = 0; k <= static_cast<int>(line_kind::complex_dst4); ++k) kinds.push_back(static_cast<line_kind>(k));
  return kinds;
}

TEST(line_kinds, an_inverse_leads_back) {
  for (const line_kind kind : all_kinds()) {
    const line_row& row = row_of(kind);
    const line_row& back = row_of(row.inverse);
    EXPECT_EQ(row.kind, kind) << row.name;
    EXPECT_EQ(back.inverse, kind) << row.name;
    EXPECT_EQ(back.in, row.out) << row.name;
    EXPECT_EQ(back.out, row.in) << row.name;
    EXPECT_EQ(row_of(row.later_digits).forward, row.forward) << row.name;
    for (const integer n : {0, 1, 2, 3, 8, 9}) {
      EXPECT_EQ(back.in_extent(n), row.out_extent(n)) << row.name << " " << n;
      EXPECT_EQ(back.out_extent(n), row.in_extent(n)) << row.name << " " << n;
      EXPECT_EQ(back.logical_size(n), row.logical_size(n)) << row.name << " " << n;
    }
  }
}

TEST(line_kinds, of_cosines_and_sines_take_real_and_complex_elements) {
  int trigonometric = 0;
  for (const line_kind kind : all_kinds()) {
    if (!is_trigonometric(kind)) {
      EXPECT_EQ(row_of(kind).on_complex, kind);
      EXPECT_EQ(on_reals(kind), kind);
      continue;
    }
    ++trigonometric;
    const line_row& row = row_of(row_of(kind).on_complex);
    EXPECT_EQ(row.in, element_type::complex) << row.name;
    EXPECT_EQ(row_of(on_reals(kind)).out, element_type::real) << row.name;
    EXPECT_EQ(row_of(on_reals(kind)).on_complex, row.kind) << row.name;
    EXPECT_EQ(row_of(row_of(kind).inverse).on_complex, row.inverse) << row.name;
    EXPECT_EQ(row.least_length, row_of(kind).least_length) << row.name;
  }
  EXPECT_EQ(trigonometric, 16);
}

TEST(line_kinds, have_names_for_users) {
  const std::string all = "none,c2c,r2c,dct1,dct2,dct3,dct4,dst1,dst2,dst3,dst4";
  EXPECT_EQ(to_text(parse_kinds(all)), all);
  for (const char* wrong : {"", "c2r", "dct5", "c2c forward", "DCT2"}) {
    EXPECT_THROW((void)kind_named(wrong), name_error) << wrong;
  }
}

TEST(line_kinds, real_transforms_halve) {
  const auto after = [](const extents& shape, int real_axis) {
    return extents_after(shape, fourier_kinds(shape.size(), {real_axis}, real_axis));
  };
  EXPECT_EQ(after({4, 5, 0}, 0), (extents{3, 5, 0}));
  EXPECT_EQ(after({4, 5, 0}, 1), (extents{4, 3, 0}));
  EXPECT_EQ(after({4, 5, 0}, 2), (extents{4, 5, 0}));
  EXPECT_EQ(after({1, 2}, 0), (extents{1, 2}));
  EXPECT_EQ(extents_after({1, 2}, fourier_kinds(2, {0, 1}, -1)), (extents{1, 2}));
}

TEST(line_kinds, arrays_are_what_their_axes_make_of_them) {
  struct example {
    std::vector<line_kind> kinds;
    element_type before, after;
    int real_axis;
    double size;
  };
  constexpr auto real = element_type::real, complex = element_type::complex;
  for (const auto& [kinds, before, after, axis, size] : {
           example{{line_kind::none, line_kind::none}, complex, complex, -1, 1},
           example{fourier_kinds(2, {1}, -1), complex, complex, -1, 5},
           example{fourier_kinds(2, {0, 1}, 0), real, complex, 0, 20},
           example{fourier_kinds(2, {0, 1}, 1), real, complex, 1, 20},
           example{{line_kind::dct1, line_kind::dst1}, real, real, -1, 6.0 * 12},
           example{{line_kind::dct2, line_kind::none}, real, real, -1, 8},
           example{{line_kind::dct3, line_kind::c2c_forward}, complex, complex, -1, 8 * 5},
           example{{line_kind::dst4, line_kind::r2c}, real, complex, 1, 8 * 5},
       }) {
    EXPECT_EQ(element_before(kinds), before);
    EXPECT_EQ(element_after(kinds), after);
    EXPECT_EQ(real_axis(kinds), axis);
    EXPECT_EQ(logical_size({4, 5}, kinds), size);
  }
}

}  // namespace
}  // namespace weft::testing
