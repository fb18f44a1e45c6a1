// SPDX-License-Identifier: BSD-3-Clause
// The index layer against brute force: slices, dealing, chains, distributions, bricks, texts.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <set>

#include "brute.hpp"
#include "index/chain.hpp"
#include "index/slice.hpp"
#include "weft/array.hpp"
#include "weft/error.hpp"

namespace weft::testing {
namespace {

constexpr integer huge = integer{1} << 62;

/// The message of the Expected error that `call` throws; a failure and "" if it throws another or none.
template <class Expected, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Expected& e) {
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another type of error: " << e.what();
    return {};
  }
  ADD_FAILURE() << "no error";
  return {};
}

// ---- slices

TEST(slice, intersection_is_the_common_terms) {
  dice d(1);
  int met = 0;
  for (int draw = 0; draw < 4000; ++draw) {
    const slice a{d.between(0, 40), d.between(1, 24), d.between(0, 30)};
    const slice b{d.between(0, 40), d.between(1, 24), d.between(0, 30)};
    extents expected;
    for (integer k = 0; k < a.count; ++k) {
      for (integer j = 0; j < b.count; ++j) {
        if (a[k] == b[j]) expected.push_back(a[k]);
      }
    }
    const slice both = intersect(a, b);
    extents found;
    for (integer k = 0; k < both.count; ++k) found.push_back(both[k]);
    ASSERT_EQ(found, expected) << "draw " << draw;
    ASSERT_GE(both.step, 1);
    met += expected.empty() ? 0 : 1;
  }
  EXPECT_GT(met, 1000);
}

TEST(slice, intersection_near_the_end_of_64_bits) {
  // The same small problems, moved up and stretched: the terms move and stretch with them.
  dice d(2);
  for (int draw = 0; draw < 2000; ++draw) {
    const integer factor = d.between(1, integer{1} << 55);
    const integer shift = d.between(0, huge - 64 * factor > 0 ? huge - 64 * factor : 0);
    const slice a{d.between(0, 9), d.between(1, 6), d.between(0, 9)};
    const slice b{d.between(0, 9), d.between(1, 6), d.between(0, 9)};
    const auto stretched = [&](const slice& s) { return slice{shift + s.first * factor, s.step * factor, s.count}; };
    const slice small = intersect(a, b), large = intersect(stretched(a), stretched(b));
    ASSERT_EQ(large.count, small.count) << "draw " << draw;
    for (integer k = 0; k < small.count; ++k) ASSERT_EQ(large[k], shift + small[k] * factor) << "draw " << draw;
  }
}

TEST(slice, coprime_steps_near_2_62_meet_at_most_once) {
  dice d(3);
  for (int draw = 0; draw < 500; ++draw) {
    // Two progressions through a common term whose steps have a product far past 64 bits.
    const integer common = huge - d.between(0, 1000);
    const integer p = (integer{1} << 40) - 87, q = (integer{1} << 41) - 21;
    const integer before_p = d.between(0, 1000), before_q = d.between(0, 1000);
    const slice a{common - before_p * p, p, before_p + d.between(1, 1000)};
    const slice b{common - before_q * q, q, before_q + d.between(1, 1000)};
    const slice both = intersect(a, b);
    ASSERT_EQ(both.count, 1);
    ASSERT_EQ(both.first, common);
  }
}

TEST(slice, positions_and_containment) {
  const slice s{5, 3, 4};
  EXPECT_EQ(s.last(), 14);
  for (integer v = 0; v < 20; ++v) EXPECT_EQ(s.contains(v), v == 5 || v == 8 || v == 11 || v == 14) << v;
  EXPECT_EQ(s.position(11), 2);
  EXPECT_EQ(s.at({1, 2, 2}), (slice{8, 6, 2}));
  EXPECT_FALSE((slice{5, 3, 0}).contains(5));
}

// ---- dealing

/// The indices of a part by position; fails unless positions are 0 .. count-1, each once, and indices ascend.
extents by_position(const axis_part& part) {
  extents indices(at(count(part)), -1);
  for (const auto& s : part) {
    EXPECT_GT(s.indices.count, 0) << "an empty segment";
    EXPECT_EQ(s.indices.count, s.positions.count);
    for (integer k = 0; k < s.indices.count; ++k) {
      const integer p = s.positions[k];
      if (p < 0 || p >= static_cast<integer>(indices.size()) || indices[at(p)] != -1) {
        ADD_FAILURE() << "position " << p << " is outside or taken";
        return {};
      }
      indices[at(p)] = s.indices[k];
    }
  }
  EXPECT_TRUE(std::is_sorted(indices.begin(), indices.end()));
  for (std::size_t p = 0; p < indices.size(); ++p) EXPECT_EQ(index_at(part, static_cast<integer>(p)), indices[p]);
  return indices;
}

TEST(deal, agrees_with_the_definition) {
  const std::vector<split> kinds{{split::kind::block, 0, 1},      {split::kind::cyclic, 0, 1},
                                 {split::kind::cyclic, 0, 2},     {split::kind::cyclic, 0, 5},
                                 {split::kind::cyclic, 0, 40},    {split::kind::zigzag, 0, 1},
                                 {split::kind::half_zigzag, 0, 1}};
  for (auto how : kinds) {
    for (integer extent = 0; extent <= 33; ++extent) {
      for (const int parts : {1, 2, 3, 4, 5, 7, 8, 13, 40}) {
        how.first = static_cast<int>(extent % parts);
        std::vector<int> owners(at(extent), 0);
        for (int c = 0; c < parts; ++c) {
          const extents got = by_position(deal(how, extent, parts, c));
          ASSERT_EQ(got, owned_by(extent, {how}, grid({parts}), {c}))
              << to_text(chain{how}) << " extent " << extent << " part " << c << " of " << parts;
          for (const integer i : got) ++owners[at(i)];
        }
        ASSERT_EQ(owners, std::vector<int>(at(extent), 1));
      }
    }
  }
}

TEST(deal, block_cyclic_lists_stay_short) {
  const axis_part wide = deal({split::kind::cyclic, 0, 1000}, 1'000'000, 2, 1);
  const axis_part fine = deal({split::kind::cyclic, 0, 3}, 1'000'000, 2, 1);
  EXPECT_LE(wide.size(), 500U);
  EXPECT_EQ(fine.size(), 3U);
  EXPECT_EQ(count(wide), 500'000);
}

TEST(deal, parts_near_2_31) {
  constexpr int parts = std::numeric_limits<int>::max();
  for (const auto kind : {split::kind::block, split::kind::cyclic, split::kind::zigzag, split::kind::half_zigzag}) {
    for (const int first : {0, 5, parts - 1}) {
      const split how{kind, 0, 1, first};
      for (integer i = 0; i < 7; ++i) {
        const auto owner = place_of(how, 7, parts, i).coordinate;
        EXPECT_EQ(by_position(deal(how, 7, parts, owner)), extents{i}) << to_text(chain{how});
      }
      const auto far = static_cast<int>((integer{first} + parts / 2) % parts);
      EXPECT_EQ(count(deal(how, 7, parts, far)), 0) << to_text(chain{how});
    }
  }
}

TEST(deal, extents_near_2_62) {
  for (const auto kind : {split::kind::block, split::kind::cyclic, split::kind::zigzag, split::kind::half_zigzag}) {
    integer total = 0;
    for (int c = 0; c < 7; ++c) {
      const axis_part part = deal({kind, 0, 1}, huge + 5, 7, c);
      total += count(part);
      ASSERT_GE(part.front().indices.first, 0);
      ASSERT_LT(part.back().indices.last(), huge + 5);
    }
    EXPECT_EQ(total, huge + 5);
  }
  EXPECT_EQ(count(deal({split::kind::cyclic, 0, std::numeric_limits<integer>::max()}, 100, 3, 0)), 100);
}

TEST(chains, agree_with_dealing_from_the_outside_in) {
  const grid on({2, 3, 2});
  for (const char* text :
       {"*",      "b0",     "b0c1",     "c0b1", "b01",   "c01",      "z0c1",   "c1z0",     "z1b0", "b0c1z2",
        "c0/3b1", "b1c0/2", "c0/2c1/2", "z0z1", "b210",  "c2/3z1b0", "c0/2+1", "b1+2c0+1", "z1+1", "c0+1c1/2+2b2+1",
        "h0",     "h1+1",   "h0z1",     "c1h0", "h1h2b0"}) {
    const chain splits = parse_chain(text);
    for (const integer extent : {0, 1, 2, 5, 7, 11, 12, 13, 24, 31, 60}) {
      for (int r = 0; r < on.size(); ++r) {
        const auto point = on.coordinates(r);
        ASSERT_EQ(by_position(part_of(extent, splits, on, point)), owned_by(extent, splits, on, point))
            << text << " extent " << extent << " rank " << r;
      }
    }
  }
}

// ---- distributions

void expect_owned_once(const distribution& d, int ranks) {
  std::vector<int> owners(at(volume(d.shape())), 0);
  for (int r = 0; r < ranks; ++r) {
    const auto lists = owned_by(d, r);
    integer size = 1;
    for (int l = 0; l < d.axes(); ++l) {
      ASSERT_EQ(by_position(d.part(r, l)), lists[at(l)]) << d.text() << " rank " << r << " axis " << l;
      ASSERT_EQ(d.local_shape(r)[at(l)], static_cast<integer>(lists[at(l)].size()));
      size *= static_cast<integer>(lists[at(l)].size());
    }
    ASSERT_EQ(d.local_size(r), size);
    for (const integer n : global_numbers(d, r)) ++owners[at(n)];
  }
  ASSERT_EQ(owners, std::vector<int>(owners.size(), 1)) << d.text();
}

/// whole[l]: every rank that owns anything owns all of axis l.
void expect_is_local_right(const distribution& d) {
  for (int l = 0; l < d.axes(); ++l) {
    bool whole = true;
    for (int r = 0; r < d.ranks(); ++r) {
      if (d.local_size(r) > 0) whole = whole && d.local_shape(r)[at(l)] == d.shape()[at(l)];
    }
    EXPECT_EQ(d.is_local(l), whole) << d.text() << " axis " << l;
  }
}

TEST(distributions, random_ones_own_every_element_once) {
  dice d(4);
  int more_ranks_than_elements = 0;
  for (int draw = 0; draw < 1500; ++draw) {
    const extents shape = random_shape(d, d.small(1, 4), 400);
    const int ranks = d.small(1, 16);
    const distribution how = random_distribution(d, shape, ranks);
    SCOPED_TRACE(how.text() + " of " + to_text(shape));
    ASSERT_LE(how.ranks(), ranks);
    expect_owned_once(how, ranks + 2);
    expect_is_local_right(how);
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
    more_ranks_than_elements += volume(shape) < ranks ? 1 : 0;
  }
  EXPECT_GT(more_ranks_than_elements, 20);
}

TEST(distributions, texts_print_and_parse_back) {
  dice d(5);
  for (int draw = 0; draw < 1500; ++draw) {
    const extents shape = random_shape(d, d.small(1, 5), 1000);
    const distribution how = random_distribution(d, shape, d.small(1, 24));
    ASSERT_EQ(distribution::parse(how.text(), shape, grid({1})), how) << how.text();
    ASSERT_EQ(distribution::parse(how.chains_text(), shape, how.on()), how) << how.chains_text();
    ASSERT_EQ(parse_extents(to_text(shape)), shape);
  }
  EXPECT_EQ(grid::parse("2x3").text(), "2x3");
  EXPECT_EQ(to_text(parse_chain("b01")), "b0b1");
  EXPECT_EQ(to_text(parse_chain("c0/4+1b1+12c2+0")), "c0/4+1b1+12c2");
  EXPECT_EQ(distribution::parse("  [ b0   *  c1/4 ] @ 2x3 ", {4, 5, 6}, grid({1})).text(), "[b0 * c1/4]@2x3");
}

/// ScaLAPACK's own definitions, with indices from 0: TOOLS/numroc.f and TOOLS/indxg2p.f, indxg2l.f.
integer numroc(integer n, integer nb, int process, int source, int processes) {
  const integer distance = (processes + process - source) % processes, blocks = n / nb;
  const integer extra = blocks % processes;
  return blocks / processes * nb + (distance < extra ? nb : distance == extra ? n % nb : 0);
}
int indxg2p(integer index, integer nb, int source, int processes) {
  return static_cast<int>((source + index / nb) % processes);
}
integer indxg2l(integer index, integer nb, int processes) { return nb * (index / (nb * processes)) + index % nb; }

TEST(distributions, are_those_of_scalapacks_descriptors) {
  for (const auto& [m, n, mb, nb, rows, columns] :
       {std::array<int, 6>{12, 14, 2, 3, 2, 3}, {13, 29, 4, 5, 3, 2}, {1, 7, 1, 2, 4, 1}, {31, 8, 40, 8, 2, 5}}) {
    for (int rsrc = 0; rsrc < rows; ++rsrc) {
      for (int csrc = 0; csrc < columns; ++csrc) {
        const std::string text = "[c0/" + std::to_string(mb) + "+" + std::to_string(rsrc) + " c1/" +
                                 std::to_string(nb) + "+" + std::to_string(csrc) + "]";
        SCOPED_TRACE(text);
        const auto how = distribution::parse(text, {m, n}, grid({rows, columns}));
        for (int r = 0; r < rows * columns; ++r) {
          ASSERT_EQ(how.local_shape(r),
                    (extents{numroc(m, mb, r / columns, rsrc, rows), numroc(n, nb, r % columns, csrc, columns)}));
        }
        for (integer i = 0; i < m; ++i) {
          for (integer j = 0; j < n; ++j) {
            const int row = indxg2p(i, mb, rsrc, rows), column = indxg2p(j, nb, csrc, columns);
            const int owner = how.owner({i, j});
            ASSERT_EQ(owner, row * columns + column);
            ASSERT_EQ(index_at(how.part(owner, 0), indxg2l(i, mb, rows)), i);
            ASSERT_EQ(index_at(how.part(owner, 1), indxg2l(j, nb, columns)), j);
          }
        }
      }
    }
  }
}

TEST(distributions, what_cannot_be_written_cannot_be_made) {
  // A value whose text does not parse back would be rejected by the other ranks only.
  EXPECT_THROW(distribution({8}, grid({2}), {{{split::kind::block, 0, 4}}}), distribution_error);
  EXPECT_THROW(distribution({8}, grid({2}), {{{split::kind::zigzag, 0, 2}}}), distribution_error);
  EXPECT_THROW(distribution({8}, grid({2}), {{{split::kind::half_zigzag, 0, 2}}}), distribution_error);
  const grid many(std::vector<int>(11, 1));
  EXPECT_THROW(distribution({8}, grid({2}), {{{split::kind::block, 0, 1, 2}}}), distribution_error);
  EXPECT_THROW(distribution({8}, grid({2}), {{{split::kind::block, 0, 1, -1}}}), distribution_error);
  EXPECT_NO_THROW(distribution({8}, many, {{{split::kind::block, 9, 1}}}));
  EXPECT_THROW(distribution({8}, many, {{{split::kind::block, 10, 1}}}), distribution_error);
  EXPECT_THROW(grid(std::vector<int>(17, 1)), argument_error);
}

TEST(distributions, bad_texts_give_typed_errors_that_name_the_value) {
  const extents shape{8, 9};
  const grid on({2, 2});
  const auto parse = [&](std::string_view text) { (void)distribution::parse(text, shape, on); };
  for (const char* text : {"",
                           "b0 *",
                           "[b0 *",
                           "[b0]",
                           "[b0 * *]",
                           "[x0 *]",
                           "[b *]",
                           "[0 *]",
                           "[b0/2 *]",
                           "[z0/2 *]",
                           "[c0/0 *]",
                           "[c0/2/2 *]",
                           "[c0+1/2 *]",
                           "[c0+1+1 *]",
                           "[c0+2 *]",
                           "[c0+1 c1/3+7]",
                           "[+1 *]",
                           "[*+1 *]",
                           "[c0+1 1]",
                           "[c0+3000000000 *]",
                           "[b0 c0]",
                           "[b0b0 *]",
                           "[b0 b7]",
                           "[b0 *]2x2",
                           "bricks{0:8,0:4}",
                           "bricks{0:8; 0:9}",
                           "bricks{0-8,0:9}",
                           "bricks{}",
                           "any"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(message_of<distribution_error>([&] { parse(text); }).empty());
  }
  for (const char* text : {"[c0/ *]", "[c0/99999999999999999999 *]", "[c0+ *]", "[c0+-1 *]", "[b0 *]@", "[b0 *]@0x2",
                           "[b0 *]@2xx2", "[b0 *]@-1", "[b0 *]@99999999999", "[b0 *]@65536x65536", "bricks{0:x,0:9}"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(message_of<argument_error>([&] { parse(text); }).empty());
  }
  EXPECT_NE(message_of<distribution_error>([&] { parse("[b0 b7]"); }).find("grid axis 7"), std::string::npos);
  EXPECT_NE(message_of<distribution_error>([&] { parse("[b0 * *]"); }).find("3 terms"), std::string::npos);
  EXPECT_NE(message_of<distribution_error>([&] { parse("[* c1/2+2]"); }).find("coordinate 2 of grid axis 1, but the"),
            std::string::npos);
  EXPECT_NE(message_of<distribution_error>([&] { parse("[q0 *]"); }).find("'q'"), std::string::npos);
  EXPECT_THROW((void)parse_extents("4x-5"), argument_error);
  EXPECT_THROW((void)parse_extents(""), argument_error);
  EXPECT_THROW((void)parse_extents("4xy"), argument_error);
}

TEST(distributions, bad_shapes) {
  EXPECT_THROW(distribution({}, grid({1}), {}), argument_error);
  EXPECT_THROW(distribution({-1}, grid({1}), {{}}), argument_error);
  EXPECT_THROW(distribution(extents(17, 1), grid({1}), std::vector<chain>(17)), argument_error);
  EXPECT_THROW(distribution({huge, 4}, grid({1}), {{}, {}}), argument_error);
  EXPECT_NO_THROW(distribution({huge, 0, 4}, grid({1}), {{}, {}, {}}));
  EXPECT_NO_THROW(distribution({0, huge, huge}, grid({1}), {{}, {}, {}}));
}

TEST(distributions, name_the_owner_of_every_element) {
  dice d(8);
  for (int draw = 0; draw < 600; ++draw) {
    const extents shape = random_shape(d, d.small(1, 4), 300);
    const distribution how = random_distribution(d, shape, d.small(1, 12));
    SCOPED_TRACE(how.text() + " of " + to_text(shape));
    for (int r = 0; r < how.ranks(); ++r) {
      const auto lists = owned_by(how, r);
      for (const integer number : global_numbers(how, r)) {
        extents index(shape.size());
        integer left = number;
        for (std::size_t l = shape.size(); l-- > 0; left /= shape[l]) index[l] = left % shape[l];
        ASSERT_EQ(how.owner(index), r) << to_text(index);
      }
    }
    extents outside(shape.size(), 0);
    outside.back() = shape.back();
    EXPECT_THROW((void)how.owner(outside), argument_error);
  }
  const auto blocks = distribution::parse("[b0 c1]", {8, 9}, grid({2, 2}));
  EXPECT_EQ(blocks.owner({4, 3}), 3);
  EXPECT_THROW((void)blocks.owner({4}), argument_error);
  EXPECT_THROW((void)blocks.owner({-1, 0}), argument_error);
}

TEST(distributions, check_what_they_are_asked_for) {
  const auto blocks = distribution::parse("[b0 c1]", {8, 9}, grid({2, 2}));
  const auto boxes = distribution::bricks({8, 9}, grid({2, 2}));
  for (const auto& how : {blocks, boxes}) {
    const std::string axis = message_of<argument_error>([&] { (void)how.part(0, 5); });
    EXPECT_NE(axis.find("axis 5 is not one of 0 to 1"), std::string::npos) << axis;
    EXPECT_THROW((void)how.part(0, -1), argument_error);
    EXPECT_THROW((void)how.is_local(2), argument_error);
    EXPECT_THROW((void)how.is_local(-1), argument_error);
    const std::string rank = message_of<argument_error>([&] { (void)how.local_shape(-3); });
    EXPECT_NE(rank.find("-3"), std::string::npos) << rank;
    EXPECT_THROW((void)how.local_size(-1), argument_error);
    EXPECT_EQ(how.local_size(4), 0) << "ranks beyond the grid own nothing";
    EXPECT_THROW((void)how.with_shape({8, 9, 10}), error);
  }
}

// ---- layouts

TEST(layouts, past_the_end_of_addresses_are_refused) {
  const auto refused = [](const layout& where, const extents& shape, integer batch = 1) {
    return !message_of<argument_error>([&] { (void)resolved(where, shape, batch); }).empty();
  };
  EXPECT_TRUE(refused({{huge, 1}, 0}, {4, 4}));
  EXPECT_TRUE(refused({{4, 1}, std::numeric_limits<integer>::max() - 3}, {4, 4}));
  EXPECT_TRUE(refused({{huge, 4, 1}, 0}, {4, 4}, 3));
  EXPECT_TRUE(refused({{huge / 2, 1}, 0}, {4, 4}, 4));
  EXPECT_THROW((void)ghosted({4, 4}, {huge, huge}, {huge, huge}), argument_error);
  EXPECT_THROW((void)ghosted({4, 4}, {1, 1}, {huge, huge}), argument_error);
  EXPECT_THROW((void)ghosted({4, 4}, {-1, 0}, {1, 0}), argument_error);
  EXPECT_NO_THROW((void)resolved({}, {0, huge, huge})) << "no element, no address";
  EXPECT_EQ(span_of(resolved({{huge, 1}, 7}, {1, 4}), {1, 4}), 11);
}

TEST(layouts, of_batches) {
  EXPECT_EQ(resolved({}, {3, 4}, 2), (layout{{12, 4, 1}, 0}));
  EXPECT_EQ(resolved({{5, 1}, 2}, {3, 4}, 2), (layout{{16, 5, 1}, 2}));
  EXPECT_EQ(resolved({{100, 5, 1}, 2}, {3, 4}, 2), (layout{{100, 5, 1}, 2}));
  EXPECT_EQ(resolved({{5, 1}, 2}, {3, 4}, 1), (layout{{5, 1}, 2}));
  EXPECT_EQ(resolved({}, {3, 4}, 2, true), (layout{{1, 8, 2}, 0}));
  EXPECT_EQ(resolved({{5, 1}, 2}, {3, 4}, 2, true), (layout{{1, 10, 2}, 4})) << "cells of two elements each";
  EXPECT_EQ(resolved({{100, 5, 1}, 2}, {3, 4}, 2, true), (layout{{100, 5, 1}, 2}));
  EXPECT_EQ(resolved({{5, 1}, 2}, {3, 4}, 1, true), (layout{{5, 1}, 2}));
  EXPECT_THROW((void)resolved({{huge, 1}, 2}, {3, 4}, 2, true), argument_error);
  EXPECT_THROW((void)resolved({{100, 5, 1}, 2}, {3, 4}, 1), argument_error);
  EXPECT_TRUE(same_addresses({{9, 1}, 2}, {{5, 1}, 2}, {1, 4}));
  EXPECT_FALSE(same_addresses({{9, 1}, 2}, {{5, 1}, 2}, {2, 4}));
}

// ---- arrays

TEST(arrays, find_elements_by_global_index_and_by_position) {
  dice d(9);
  for (int draw = 0; draw < 200; ++draw) {
    const extents shape = random_shape(d, d.small(1, 4), 200);
    const int ranks = d.small(1, 6);
    const distribution how = random_distribution(d, shape, ranks);
    const integer batch = d.between(1, 3);
    for (int r = 0; r < ranks; ++r) {
      SCOPED_TRACE(how.text() + " of " + to_text(shape) + " rank " + std::to_string(r));
      const extents mine = how.local_shape(r), one(shape.size(), 1);
      const bool interleaved = d.once_in(2);
      const layout where = d.once_in(3) ? layout{} : ghosted(mine, one, one);
      array<double> x(how, r, batch, resolved(where, mine, batch, interleaved));
      ASSERT_EQ(x.size(), batch * how.local_size(r));
      for (double& v : x.span()) v = -1;  // also what lies between
      const auto number = [&](std::span<const integer> i, integer b) {
        return static_cast<double>(flat_index({i.begin(), i.end()}, shape) + b * 1000);
      };
      x.for_each([&](std::span<const integer> i, double& v, integer b) { v = number(i, b); });
      integer visited = 0;
      x.for_each([&](std::span<const integer> i, const double& v) {
        const integer b = interleaved ? visited % batch : visited / std::max<integer>(1, how.local_size(r));
        EXPECT_EQ(v, number(i, b));
        EXPECT_TRUE(x.owns(i));
        EXPECT_EQ(&x.at(i, b), &v);
        EXPECT_EQ(&x[visited++], &v);
      });
      ASSERT_EQ(visited, x.size());
      integer untouched = 0;
      for (const double v : x.span()) untouched += v == -1 ? 1 : 0;
      ASSERT_EQ(untouched, static_cast<integer>(x.span().size()) - x.size());
      integer owned = 0;
      array<char>(distribution(shape, grid({1}), std::vector<chain>(shape.size())), 0)
          .for_each([&](std::span<const integer> i, char&) { owned += x.owns(i) ? 1 : 0; });
      ASSERT_EQ(owned, how.local_size(r));
    }
  }
}

TEST(arrays, check_what_they_are_asked_for) {
  const auto how = distribution::parse("[b0 *]", {8, 9}, grid({2}));
  array<int> x(how, 1, 1, ghosted({4, 9}, {1, 1}, {1, 1}));
  EXPECT_EQ(x.local_layout(), (layout{{11, 1}, 12}));
  x.at({5, 2}) = 7;
  EXPECT_EQ(x.local(1, 2), 7);
  EXPECT_EQ(x.view()(1, 2), 7);
  EXPECT_EQ(std::as_const(x).view()(1, 2), 7);
  EXPECT_EQ(x.data()[12 + 11 + 2], 7);
  EXPECT_FALSE(x.owns({0, 0}));
  EXPECT_FALSE(x.owns({5}));
  const std::string elsewhere = message_of<argument_error>([&] { (void)x.at({3, 2}); });
  EXPECT_NE(elsewhere.find("3x2 of the array 8x9 belongs to rank 0, not to rank 1"), std::string::npos) << elsewhere;
  const std::string outside = message_of<argument_error>([&] { (void)x.at({8, 2}); });
  EXPECT_NE(outside.find("index 8 is not one of 0 to 7"), std::string::npos) << outside;
  EXPECT_THROW((void)x.at({5, 2}, 1), argument_error);
  EXPECT_THROW((void)x.local(4, 0), argument_error);
  EXPECT_THROW((void)x.local(0, 0, 0), argument_error);
  EXPECT_THROW((void)x.indices(2), argument_error);
  EXPECT_THROW((void)x.begin(), argument_error) << "ghost cells are no elements";
  EXPECT_THROW((array<int>(how, -1)), argument_error);
  EXPECT_THROW((array<int>(how, 0, 0)), argument_error);
  EXPECT_THROW((array<int>(how, 0, 1, {{1, 1}, 0})), argument_error);
  EXPECT_THROW((array<int>(how, 0, 1, {}, host_memory(4 * 9 * sizeof(int) - 1))), buffer_error);
  EXPECT_NO_THROW((array<int>(how, 0, 1, {}, host_memory(4 * 9 * sizeof(int)))));
  EXPECT_THROW((array<int>(how, 0, 1, {{huge / 8, 1}, 0})), buffer_error);
}

TEST(arrays, share_memory_that_they_are_given) {
  const auto how = distribution::parse("[b0 *]", {8, 9}, grid({2}));
  array<int> x(how, 0);
  x.at({2, 3}) = 5;
  const array<int> same(how, 0, 1, {}, x.block());
  EXPECT_EQ(same.at({2, 3}), 5);
  EXPECT_EQ(same.data(), x.data());
}

// ---- memory

TEST(memory, is_aligned_and_says_when_there_is_none) {
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{5} << 20, std::size_t{9} << 20}) {
    const memory block = host_memory(bytes);
    EXPECT_EQ(block.bytes(), bytes);
    EXPECT_TRUE(block);
    const std::size_t alignment = bytes < (std::size_t{8} << 20) ? 64 : std::size_t{2} << 20;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % alignment, 0U) << bytes;
  }
  EXPECT_FALSE(memory());
  const std::string none = message_of<buffer_error>([] { (void)host_memory(std::size_t{1} << 62); });
  EXPECT_NE(none.find(std::to_string(std::size_t{1} << 62)), std::string::npos) << none;
}

// ---- bricks

TEST(bricks, of_more_axes_than_texts_can_name) {
  const extents shape(11, 2);
  std::vector<int> points(11, 1);
  points[3] = points[10] = 2;
  const auto how = distribution::bricks(shape, grid(points));
  EXPECT_EQ(how.ranks(), 4);
  EXPECT_EQ(how.local_size(3), 512);
  EXPECT_THROW((void)distribution::bricks({4, 4}, grid({2})), distribution_error);
}

TEST(bricks, that_cover_an_array_many_times_do_not_tile) {
  const extents shape{huge};
  EXPECT_THROW((void)distribution::bricks(shape, std::vector<box>(5, box{{0}, shape})), distribution_error);
}

TEST(bricks, tilings_with_empty_boxes_are_accepted) {
  const distribution d =
      distribution::bricks({4, 6}, {{{0, 0}, {4, 2}}, {{2, 2}, {2, 6}}, {{0, 2}, {4, 6}}, {{0, 0}, {0, 0}}});
  EXPECT_EQ(d.ranks(), 4);
  EXPECT_EQ(d.local_size(1), 0);
  expect_owned_once(d, 6);
  EXPECT_TRUE(d.is_local(0));
  EXPECT_FALSE(d.is_local(1));
}

TEST(bricks, balanced_ones_are_blocks) {
  const distribution d = distribution::bricks({5, 7, 2}, grid({2, 2, 3}));
  const distribution blocks = distribution::parse("[b0 b1 b2]", {5, 7, 2}, grid({2, 2, 3}));
  EXPECT_TRUE(same_ownership(d, blocks, 12));
  EXPECT_FALSE(same_ownership(d, distribution::parse("[b0 c1 b2]", {5, 7, 2}, grid({2, 2, 3})), 12));
}

TEST(bricks, what_does_not_tile_is_rejected_naming_the_ranks) {
  const auto made = [](std::vector<box> boxes) {
    return message_of<distribution_error>([&] { (void)distribution::bricks({4, 6}, std::move(boxes)); });
  };
  const std::string crossing = made({{{0, 0}, {4, 2}}, {{0, 2}, {4, 4}}, {{0, 3}, {4, 6}}});
  EXPECT_NE(crossing.find("ranks 1 and 2"), std::string::npos) << crossing;
  const std::string outside = made({{{0, 0}, {4, 2}}, {{0, 2}, {4, 7}}});
  EXPECT_NE(outside.find("rank 1"), std::string::npos) << outside;
  const std::string hole = made({{{0, 0}, {4, 2}}, {{0, 3}, {4, 6}}});
  EXPECT_NE(hole.find("20 of the 24"), std::string::npos) << hole;
  EXPECT_NE(made({{{0, 0}, {4, 2}}, {{3, 2}, {2, 6}}}).find("rank 1"), std::string::npos);
  EXPECT_NE(made({{{0, 0}, {4, 6}}, {{0}, {4}}}).find("rank 1"), std::string::npos);
  EXPECT_FALSE(made({}).empty());
}

TEST(bricks, random_boxes_that_are_moved_by_one_do_not_tile) {
  dice d(6);
  int tried = 0;
  for (int draw = 0; draw < 300; ++draw) {
    const extents shape{d.between(2, 6), d.between(2, 6), d.between(2, 6)};
    auto boxes = random_bricks(d, shape, d.small(2, 8)).boxes();
    auto& b = boxes[at(d.between(0, static_cast<integer>(boxes.size()) - 1))];
    if (b.empty()) continue;
    const auto l = at(d.between(0, 2));
    b.high[l] += b.high[l] < shape[l] ? 1 : -1;
    ++tried;
    ASSERT_THROW((void)distribution::bricks(shape, boxes), distribution_error);
  }
  EXPECT_GT(tried, 100);
}

TEST(bricks, a_changed_shape_still_tiles) {
  dice d(7);
  for (int draw = 0; draw < 500; ++draw) {
    const extents shape = random_shape(d, 3, 500);
    const distribution how = random_distribution(d, shape, d.small(1, 9));
    extents half = shape;
    const auto l = at(d.between(0, 2));
    half[l] = shape[l] == 0 ? 0 : shape[l] / 2 + 1;
    expect_owned_once(how.with_shape(half), 9);
    // What is whole stays whole there and back, which is all that real transforms need.
    if (how.is_local(static_cast<int>(l))) {
      EXPECT_TRUE(same_ownership(how.with_shape(half).with_shape(shape), how, 9)) << how.text();
    }
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
  }
}

// ---- grids

TEST(grids, ranks_and_coordinates) {
  const grid on({2, 3, 4});
  EXPECT_EQ(on.size(), 24);
  EXPECT_EQ(on.coordinates(23), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(on.coordinates(1), (std::vector<int>{0, 0, 1}));
  std::set<std::vector<int>> seen;
  for (int r = 0; r < 24; ++r) {
    EXPECT_EQ(on.rank(on.coordinates(r)), r);
    seen.insert(on.coordinates(r));
  }
  EXPECT_EQ(seen.size(), 24U);
  EXPECT_THROW((void)on[3], argument_error);
  EXPECT_THROW((void)on[-1], argument_error);
  EXPECT_THROW((void)on.coordinates(24), argument_error);
  EXPECT_THROW((void)on.coordinates(-1), argument_error);
  EXPECT_THROW((void)on.rank({0, 3, 0}), argument_error);
  EXPECT_THROW((void)on.rank({0, 0}), argument_error);
  EXPECT_THROW(grid({2, 0}), argument_error);
  EXPECT_THROW(grid({1 << 20, 1 << 20}), argument_error);
}

TEST(volumes, are_checked) {
  EXPECT_EQ(volume({3, 4, 5}), 60);
  EXPECT_THROW((void)volume({huge, 2}), argument_error);
  EXPECT_EQ(volume({}), 1);
}

}  // namespace
}  // namespace weft::testing
