// SPDX-License-Identifier: BSD-3-Clause
// The table of line kinds and what follows from it.
#include "index/line_kind.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "index/modes.hpp"
#include "weft/error.hpp"

namespace weft::testing {
namespace {

using enum line_kind;
constexpr line_kind all_kinds[] = {none,         c2c_forward,  c2c_backward, r2c,          c2r,
                                   dct1,         dct2,         dct3,         dct4,         dst1,
                                   dst2,         dst3,         dst4,         complex_dct1, complex_dct2,
                                   complex_dct3, complex_dct4, complex_dst1, complex_dst2, complex_dst3,
                                   complex_dst4, dct2_digit,   dct3_digit,   dct4_digit,   dct4_digit_back};

TEST(line_kinds, an_inverse_leads_back) {
  for (const line_kind kind : all_kinds) {
    const line_row& row = row_of(kind);
    const line_row& back = row_of(row.inverse);
    EXPECT_EQ(row.kind, kind) << row.name;
    EXPECT_EQ(back.inverse, kind) << row.name;
    EXPECT_EQ(back.in, row.out) << row.name;
    EXPECT_EQ(back.out, row.in) << row.name;
    EXPECT_EQ(row_of(row.first_digit).forward, row_of(row.later_digits).forward) << row.name;
    if (row.inverse != kind) {
      EXPECT_EQ(row_of(row.first_digit).inverse, back.first_digit) << row.name;
      EXPECT_EQ(row_of(row.later_digits).inverse, back.later_digits) << row.name;
    }
    for (const integer n : {0, 1, 2, 3, 8, 9}) {
      EXPECT_EQ(back.in_extent(n), row.out_extent(n)) << row.name << " " << n;
      EXPECT_EQ(back.out_extent(n), row.in_extent(n)) << row.name << " " << n;
      EXPECT_EQ(back.logical_size(n), row.logical_size(n)) << row.name << " " << n;
    }
  }
}

TEST(line_kinds, of_cosines_and_sines_take_real_and_complex_elements) {
  int trigonometric = 0;
  for (const line_kind kind : all_kinds) {
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

/// Frequencies that stand along an array, in order; none for a gap.
std::vector<std::optional<integer>> frequencies(const kept_modes& kept, bool halved) {
  std::vector<std::optional<integer>> found;
  for (integer i = 0; i < kept.low; ++i) found.emplace_back(i);
  if (kept.gap) found.emplace_back();
  for (integer i = kept.high; i > 0; --i) found.emplace_back(-i);
  EXPECT_TRUE(!halved || kept.high == 0);
  return found;
}

TEST(modes, that_are_kept_are_the_lowest) {
  for (integer n = 1; n <= 9; ++n) {
    for (integer modes = 1; modes <= n; ++modes) {
      SCOPED_TRACE(std::to_string(modes) + " of " + std::to_string(n));
      const kept_modes all = kept_of(line_kind::c2c_forward, n, modes, false);
      EXPECT_EQ(all.extent(), modes);
      EXPECT_EQ(all.all(), modes == n);
      if (modes == n) continue;
      const auto found = frequencies(all, false);
      for (integer i = 0; i < modes; ++i) {
        EXPECT_EQ(found[static_cast<std::size_t>(i)], 2 * i < modes ? i : i - modes);
      }
      const kept_modes paired = kept_of(line_kind::c2c_forward, n, modes, true);
      EXPECT_EQ(paired.extent(), modes);
      const auto pairs = frequencies(paired, false);
      for (const auto& k : pairs) {
        if (!k) continue;
        EXPECT_NE(std::ranges::find(pairs, -*k), pairs.end()) << "mirror image of " << *k;
      }
      EXPECT_EQ(std::ranges::count_if(pairs, [](const auto& k) { return !k; }), modes % 2 == 0 ? 1 : 0);
      const kept_modes half = kept_of(line_kind::r2c, n, modes, true);
      EXPECT_EQ(half.length, n / 2 + 1);
      EXPECT_EQ(half.extent(), modes / 2 + 1);
      EXPECT_EQ(half.low, (modes + 1) / 2);
      EXPECT_EQ(kept_of(line_kind::dst3, n, modes, false).low, modes);
    }
  }
}

/// Where a map has an element of an array of two axes; none where it has nothing.
std::optional<integer> address_in(const access_map& map, integer x, integer y) {
  for (std::size_t p = 0; p < map.pieces[0].size(); ++p) {
    for (std::size_t q = 0; q < map.pieces[1].size(); ++q) {
      const slice &a = map.pieces[0][p], &b = map.pieces[1][q];
      if (!a.contains(x) || !b.contains(y)) continue;
      const cell& here = map.cells[p * map.pieces[1].size() + q];
      if (here.placement < 0) return std::nullopt;
      const auto& strides = map.placements[static_cast<std::size_t>(here.placement)].strides;
      return here.offset + a.position(x) * strides[0] + b.position(y) * strides[1];
    }
  }
  ADD_FAILURE() << "no piece has " << x << ", " << y;
  return std::nullopt;
}

TEST(modes, are_spread_over_whole_lines) {
  // Axis 1 comes in two messages, even positions and odd ones.
  constexpr integer rows = 2;
  for (const integer modes : {1, 2, 5, 6}) {
    for (const bool real : {false, true}) {
      const kept_modes kept = kept_of(line_kind::c2c_forward, 9, modes, real);
      std::vector<message_box> messages;
      for (const integer odd : {0, 1}) {
        const integer count = (modes + 1 - odd) / 2;
        if (count == 0) continue;
        messages.push_back({{{{{0, 1, rows}, 0}}, {{{odd, 2, count}, 0}}}, {0, -1, {100, 1}}, 1000 * odd});
      }
      const access_map array = message_map({rows, modes}, messages);
      const access_map lines = spread(array, 1, kept);
      EXPECT_EQ(lines.shape, (extents{rows, 9}));
      for (integer x = 0; x < rows; ++x) {
        for (integer k = 0; k < 9; ++k) {
          const integer high = 9 - kept.high, from_end = modes - (9 - k);
          const bool is_low = k < kept.low, is_high = k >= high;
          const auto due = is_low ? address_in(array, x, k) : is_high ? address_in(array, x, from_end) : std::nullopt;
          EXPECT_EQ(address_in(lines, x, k), due) << modes << " " << x << " " << k;
        }
        if (kept.gap) {
          EXPECT_EQ(address_in(gap_of(array, 1, kept), x, 0), address_in(array, x, kept.low));
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::testing
