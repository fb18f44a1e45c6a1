// SPDX-License-Identifier: BSD-3-Clause
// Axes seen as digits against brute force: texts, numbering, and where every element of a local array lies.
#include "index/digits.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <utility>

#include "brute.hpp"
#include "index/cosine_order.hpp"
#include "index/fold.hpp"
#include "weft/error.hpp"

namespace weft::testing {
namespace {

// ---- texts and numbers

digit_list random_digits(dice& d, int axes, integer most) {
  digit_list digits;
  for (int l = 0; l < axes; ++l) {
    digits.emplace_back();
    for (int i = d.once_in(3) ? 1 : d.small(1, 4); i > 0; --i) digits.back().push_back(d.between(1, most));
  }
  return digits;
}

TEST(digits, texts_print_and_parse_back) {
  EXPECT_EQ(to_text(digit_list{{16, 4}, {64}, {5, 5}}), "16x4,64,5x5");
  EXPECT_EQ(parse_digits("16x4,64,5x5"), (digit_list{{16, 4}, {64}, {5, 5}}));
  EXPECT_EQ(parse_digits(" 2 x 3 , 4 "), (digit_list{{2, 3}, {4}}));
  EXPECT_EQ(to_text(digit_list{}), "");
  EXPECT_EQ(parse_digits(""), digit_list{});
  dice d(31);
  for (int draw = 0; draw < 200; ++draw) {
    const digit_list digits = random_digits(d, d.small(1, 6), 100);
    ASSERT_EQ(parse_digits(to_text(digits)), digits) << to_text(digits);
  }
  for (const char* bad : {",", "4,", ",4", "4,,4", "4x", "4x-1", "4xy", "4;5"}) {
    EXPECT_THROW((void)parse_digits(bad), argument_error) << bad;
  }
}

TEST(digits, every_seen_axis_is_one_digit_of_one_axis) {
  dice d(32);
  for (int draw = 0; draw < 200; ++draw) {
    const digit_list digits = random_digits(d, d.small(1, 6), 9);
    SCOPED_TRACE(to_text(digits));
    extents shape;
    for (std::size_t l = 0; l < digits.size(); ++l) {
      ASSERT_EQ(first_digit(digits, static_cast<int>(l)), static_cast<int>(shape.size()));
      for (std::size_t i = 0; i < digits[l].size(); ++i) {
        const auto seen = static_cast<int>(shape.size());
        const digit_place place = place_of_digit(digits, seen);
        ASSERT_EQ(place.axis, static_cast<int>(l)) << seen;
        ASSERT_EQ(place.digit, static_cast<int>(i)) << seen;
        ASSERT_EQ(has_later_digit(digits, seen), i + 1 < digits[l].size()) << seen;
        shape.push_back(digits[l][i]);
      }
    }
    ASSERT_EQ(shape_of(digits), shape);
  }
}

TEST(digits, none_at_all_are_whole_axes) {
  for (int l = 0; l < 5; ++l) {
    EXPECT_EQ(first_digit({}, l), l);
    EXPECT_EQ(place_of_digit({}, l).axis, l);
    EXPECT_EQ(place_of_digit({}, l).digit, 0);
    EXPECT_FALSE(has_later_digit({}, l));
  }
  const access_map map = plain_map({3, 4}, {32, 8}, 16);
  EXPECT_EQ(seen_as(map, {}, {3, 4}, digit_order::first_leads), map);
}

// ---- maps

/// Where the element at a position lies; nowhere is buffer -1.
struct address {
  int buffer = -1;
  int message = -1;
  integer byte = 0;
  friend bool operator==(const address&, const address&) = default;
};

/// Looks the position up piece by piece; fails unless exactly one piece of each axis has it.
address address_in(const access_map& map, const extents& position) {
  std::size_t number = 0;
  extents inside;
  for (std::size_t l = 0; l < position.size(); ++l) {
    std::size_t found = 0;
    int owners = 0;
    for (std::size_t p = 0; p < map.pieces[l].size(); ++p) {
      const slice& s = map.pieces[l][p];
      for (integer k = 0; k < s.count; ++k) {
        if (s.first + k * s.step != position[l]) continue;
        found = p;
        inside.push_back(k);
        ++owners;
      }
    }
    if (owners != 1) {
      ADD_FAILURE() << owners << " pieces of axis " << l << " have position " << position[l];
      return {};
    }
    number = number * map.pieces[l].size() + found;
  }
  const cell& c = map.cells.at(number);
  if (c.placement < 0) return {};
  const placement& where = map.placements.at(static_cast<std::size_t>(c.placement));
  address a{where.buffer, where.message, c.offset};
  for (std::size_t l = 0; l < inside.size(); ++l) a.byte += inside[l] * where.strides.at(l);
  return a;
}

/// The position along an axis that has these digits.
integer position_of(const extents& index, const extents& counts, digit_order order) {
  integer position = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const std::size_t digit = order == digit_order::first_leads ? i : index.size() - 1 - i;  // most significant first
    position = position * counts[digit] + index[digit];
  }
  return position;
}

/// The axes of a local array and how each is seen: local extents of the digits, axis by axis.
struct local_view {
  digit_list local;
  [[nodiscard]] extents whole() const {
    extents shape;
    for (const auto& counts : local) shape.push_back(volume(counts));
    return shape;
  }
  [[nodiscard]] extents seen() const { return shape_of(local); }
};

void expect_same_addresses(const access_map& whole, const access_map& map, const local_view& view, digit_order order) {
  ASSERT_EQ(map.shape, view.seen());
  each_tuple(view.seen(), [&](const extents& index) {
    extents position;
    auto next = index.begin();
    for (const auto& counts : view.local) {
      const auto end = next + static_cast<std::ptrdiff_t>(counts.size());
      position.push_back(position_of({next, end}, counts, order));
      next = end;
    }
    ASSERT_EQ(address_in(map, index), address_in(whole, position)) << to_text(index) << " at " << to_text(position);
  });
}

/// How the axis is seen does not tell how it lies on the ranks: the global sizes are multiples of the local ones.
digit_list global_sizes(dice& d, const local_view& view) {
  digit_list sizes = view.local;
  for (auto& axis : sizes) {
    for (auto& n : axis) n *= d.between(1, 3);
  }
  return sizes;
}

local_view random_view(dice& d) {
  local_view view{random_digits(d, d.small(1, 3), 4)};
  for (auto& counts : view.local) {
    for (auto& n : counts) {
      if (d.once_in(3)) n = 1;  // over the ranks
    }
  }
  return view;
}

access_map random_plain_map(dice& d, const extents& shape) {
  extents strides;
  for (std::size_t l = 0; l < shape.size(); ++l) strides.push_back(8 * d.between(1, 1000));
  return plain_map(shape, strides, 8 * d.between(0, 50), d.small(0, 3));
}

TEST(seen_as, plain_arrays_keep_every_address_in_both_orders) {
  dice d(33);
  for (int draw = 0; draw < 400; ++draw) {
    const local_view view = random_view(d);
    const access_map whole = random_plain_map(d, view.whole());
    for (const auto order : {digit_order::first_leads, digit_order::last_leads}) {
      SCOPED_TRACE("draw " + std::to_string(draw) + ": " + to_text(view.local));
      const auto map = seen_as(whole, global_sizes(d, view), view.seen(), order);
      ASSERT_TRUE(map);
      expect_same_addresses(whole, *map, view, order);
      ASSERT_FALSE(::testing::Test::HasFatalFailure());
    }
  }
}

/// Cuts the positions 0 .. n-1 into progressions: blocks, residues, or residues of the second half only.
std::vector<slice> random_pieces(dice& d, integer n) {
  if (n < 2 || d.once_in(4)) return {{0, 1, n}};
  const integer half = d.between(1, n - 1), step = d.between(2, 4);
  if (d.once_in(3)) return {{0, 1, half}, {half, 1, n - half}};
  std::vector<slice> pieces;
  const integer begin = d.once_in(2) ? half : 0;
  if (begin > 0) pieces.push_back({0, 1, begin});
  for (integer first = begin; first < std::min(n, begin + step); ++first) {
    pieces.push_back({first, step, (n - first + step - 1) / step});
  }
  return pieces;
}

/// A message for each combination of pieces, with strides and a place of its own; some are left out.
access_map random_message_map(dice& d, const extents& shape) {
  std::vector<std::vector<slice>> pieces;
  extents counts;
  for (const integer n : shape) {
    pieces.push_back(random_pieces(d, n));
    counts.push_back(static_cast<integer>(pieces.back().size()));
  }
  std::vector<message_box> messages;
  integer offset = 0;
  each_tuple(counts, [&](const extents& number) {
    message_box m;
    m.where = {d.small(0, 2), static_cast<int>(messages.size()), {}};
    m.offset = offset;
    for (std::size_t l = 0; l < shape.size(); ++l) {
      m.axes.push_back({{pieces[l][at(number[l])], d.between(0, 2)}});
      m.where.strides.push_back(16 * d.between(1, 100));
    }
    offset += 16 * d.between(1, 100);
    messages.push_back(std::move(m));
  });
  access_map map = message_map(shape, messages);
  for (auto& c : map.cells) {
    if (d.once_in(9)) c = {};
  }
  return map;
}

/// Whether the pieces of an axis would have to be cut at its digits.
bool mixes_pieces_and_digits(const access_map& whole, const local_view& view) {
  for (std::size_t l = 0; l < view.local.size(); ++l) {
    const auto many = std::ranges::count_if(view.local[l], [](integer n) { return n > 1; });
    if (many > 1 && whole.pieces[l].size() > 1) return true;
  }
  return false;
}

TEST(seen_as, messages_keep_every_address_or_are_refused) {
  dice d(34);
  int kept = 0, refused = 0, several_pieces = 0;
  for (int draw = 0; draw < 1500; ++draw) {
    const local_view view = random_view(d);
    const access_map whole = random_message_map(d, view.whole());
    for (const auto order : {digit_order::first_leads, digit_order::last_leads}) {
      SCOPED_TRACE("draw " + std::to_string(draw) + ": " + to_text(view.local));
      const auto map = seen_as(whole, global_sizes(d, view), view.seen(), order);
      ASSERT_EQ(map.has_value(), !mixes_pieces_and_digits(whole, view));
      ++(map ? kept : refused);
      if (!map) continue;
      several_pieces += whole.cells.size() > 1 && view.seen().size() > view.local.size() ? 1 : 0;
      expect_same_addresses(whole, *map, view, order);
      ASSERT_FALSE(::testing::Test::HasFatalFailure());
    }
  }
  EXPECT_GT(kept, 500);
  EXPECT_GT(refused, 300);
  EXPECT_GT(several_pieces, 300);
}

TEST(seen_as, ranks_without_elements_have_none_of_any_digit) {
  const access_map empty = plain_map({0, 3}, {24, 8});
  const auto map = seen_as(empty, {{4, 4}, {3}}, {4, 0, 3}, digit_order::last_leads);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->shape, (extents{4, 0, 3}));
  EXPECT_EQ(map->pieces.size(), 3U);
}

// ---- whole arrays

/// Element by element: the digits of what a rank owns are what it owns of the digits, in the same order.
// ---- cosine transforms

/// A rank's lines of a cosine transform of n = K p elements on p ranks, the second axis of two.
struct cosine_case {
  int points, rank;
  integer length;
  split before{split::kind::half_zigzag, 0, 1}, after{split::kind::zigzag, 0, 1};

  [[nodiscard]] integer extent() const { return length * points; }
  [[nodiscard]] extents owned(integer n, const split& how) const { return owned_by(n, {how}, grid({points}), {rank}); }
};

void each_cosine_case(const std::function<void(const cosine_case&)>& visit) {
  for (int points = 2; points <= 6; ++points) {
    for (integer length = 2 * points; length <= 6 * points; length += 2 * points) {
      for (int rank = 0; rank < points; ++rank) visit({points, rank, length});
    }
  }
}

address of(const access_map& whole, integer row, const extents& owned, integer index) {
  const auto found = std::ranges::find(owned, index);
  if (found == owned.end()) {
    ADD_FAILURE() << "index " << index << " lies elsewhere";
    return {};
  }
  return address_in(whole, {row, found - owned.begin()});
}

TEST(cosines, take_elements_from_where_they_lie) {
  each_cosine_case([](const cosine_case& c) {
    const integer n = c.extent();
    const extents owned = c.owned(n, c.before);
    const access_map whole = plain_map({3, c.length}, {1000, 24}, 16);
    const cosine_order order{1, c.length, c.points, c.rank};
    const access_map map =
        cosine_map(whole, {{3}, {c.length, c.points}}, {3, c.length, 1}, order, digit_order::first_leads);
    for (integer k = 0; k < c.length; ++k) {
      const integer m = k * c.points + c.rank, index = 2 * m < n ? 2 * m : 2 * n - 1 - 2 * m;
      EXPECT_EQ(order.index_of(m), index);
      EXPECT_EQ(address_in(map, {2, k, 0}), of(whole, 2, owned, index)) << k << " of " << n << " on " << c.points;
    }
  });
}

TEST(cosines, of_type_4_put_coefficients_where_elements_lie) {
  each_cosine_case([](const cosine_case& c) {
    const integer n = c.extent(), p = c.points, half = c.length / 2;
    const extents owned = c.owned(n, c.before), numbers = c.owned(half, {split::kind::cyclic, 0, 1});
    const auto count = static_cast<integer>(numbers.size());
    const access_map whole = plain_map({3, c.length}, {1000, 24}, 16);
    const cosine_order order{1, c.length, p, c.rank};
    const access_map map = cosine_map(whole, {{3}, {half, 2 * p}}, {3, count, 2 * p}, order, digit_order::last_leads);
    each_tuple({3, count, 2 * p}, [&](const extents& at_now) {
      const integer l = numbers[at(at_now[1])] + at_now[2] % p * half;
      const integer index = at_now[2] < p ? 2 * l : n - 1 - 2 * l;
      EXPECT_EQ(address_in(map, at_now), of(whole, at_now[0], owned, index));
    });
  });
}

TEST(cosines, put_every_coefficient_where_it_belongs_once) {
  each_cosine_case([](const cosine_case& c) {
    const integer n = c.extent(), p = c.points;
    const extents owned = c.owned(n, c.after), modes = c.owned(c.length / 2 + 1, c.after);
    const auto count = static_cast<integer>(modes.size());
    const access_map whole = plain_map({3, c.length}, {1000, 24}, 16);
    fold f;
    f.axis = 1;
    f.length = c.length;
    f.points = p;
    f.has_zero = modes.front() == 0;
    f.has_middle = modes.back() == c.length / 2;
    f.in_parts = true;
    const digit_list digits{{3}, {c.length / 2 + 1, 2 * p}};
    const access_map stored = folded_map(whole, digits, {3, count, 2 * p}, f, fold_use::store);
    const access_map loaded = folded_map(whole, digits, {3, count, 2 * p}, f, fold_use::load);
    std::set<integer> bytes;
    each_tuple({3, count, 2 * p}, [&](const extents& at_now) {
      const integer k = modes[at(at_now[1])], digit = at_now[2];
      const integer index = digit < p ? digit * c.length + k : n - (digit - p) * c.length - k;
      const address from = address_in(loaded, at_now), to = address_in(stored, at_now);
      EXPECT_EQ(f.has(k, digit), index < n);
      EXPECT_EQ(from, index < n ? of(whole, at_now[0], owned, index) : address{});
      if (to == address{}) return;
      EXPECT_EQ(to, from);
      EXPECT_TRUE(bytes.insert(to.byte).second) << "stored twice";
    });
    EXPECT_EQ(static_cast<integer>(bytes.size()), 3 * c.length);
  });
}

TEST(digits, a_cyclic_axis_is_one_digit_over_the_ranks) {
  for (const auto& [p, m] : std::vector<std::pair<int, integer>>{{2, 2}, {2, 6}, {3, 9}, {4, 4}, {4, 12}, {5, 10}}) {
    const integer n = p * m;
    const grid on({p});
    for (int rank = 0; rank < p; ++rank) {
      const extents mine = owned_by(distribution::parse("[c0]", {n}, on), rank)[0];
      const auto before = owned_by(distribution::parse("[* c0]", {m, p}, on), rank);
      const auto after = owned_by(distribution::parse("[c0 *]", {m, p}, on), rank);
      extents leading, trailing;
      for (const integer first : before[0]) {
        for (const integer last : before[1]) leading.push_back(first * p + last);
      }
      for (const integer last : after[1]) {
        for (const integer first : after[0]) trailing.push_back(last * m + first);
      }
      ASSERT_EQ(leading, mine) << n << " over " << p;
      ASSERT_EQ(trailing, mine) << n << " over " << p;
    }
  }
}

}  // namespace
}  // namespace weft::testing
