// SPDX-License-Identifier: BSD-3-Clause
// Schedules: generators for every number of axes, derived inverses, texts.
#include "schedule/schedule.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "algorithm/algorithm.hpp"
#include "brute.hpp"
#include "planner/postponed.hpp"
#include "weft/error.hpp"

namespace weft::testing {
namespace {

using algorithm::task;

std::vector<int> all_axes(std::size_t d) {
  std::vector<int> axes(d);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

task task_of(const extents& shape, int ranks) {
  task t;
  t.shape = shape;
  t.axes = all_axes(shape.size());
  t.kinds = fourier_kinds(shape.size(), t.axes, -1);
  t.ranks = ranks;
  return t;
}

extents even_shape(int d) { return extents(at(d), 8); }

std::set<int> exchange_counts(const task& t, std::string_view name) {
  std::set<int> counts;
  for (const auto& c : algorithm::propose(t, name)) counts.insert(exchanges_of(c.schedule));
  return counts;
}

bool uses_bricks(const schedule& s) {
  const auto stations = stations_of(s);
  return std::any_of(stations.begin(), stations.end(), [](const station& here) { return here.at.is_bricks(); });
}

/// Everything that must hold of any schedule for any task.
void expect_sound(const schedule& s, const task& t) {
  SCOPED_TRACE(to_text(s));
  EXPECT_NO_THROW(validate(s, t.axes));
  if (t.in) {
    EXPECT_EQ(s.input, *t.in);
  }
  const distribution out = output_of(s);
  EXPECT_EQ(out.shape(), extents_after(t.shape, t.kinds));
  if (t.out) {
    EXPECT_TRUE(same_ownership(out, *t.out, t.ranks));
  }
  if (t.out_same) {
    EXPECT_TRUE(same_ownership(out, s.input.with_shape(out.shape()), t.ranks));
  }
  for (const auto& station : stations_of(s)) EXPECT_LE(station.at.ranks(), t.ranks);

  const schedule back = inverse(s);
  EXPECT_EQ(back.way, direction::backward);
  EXPECT_NO_THROW(validate(back, t.axes));
  EXPECT_EQ(exchanges_of(back), exchanges_of(s));
  EXPECT_EQ(back.stages.size(), s.stages.size());
  EXPECT_TRUE(same_ownership(output_of(back), s.input, t.ranks));
  const schedule again = inverse(back);
  const auto there = stations_of(s), twice = stations_of(again);
  ASSERT_EQ(there.size(), twice.size());
  for (std::size_t i = 0; i < there.size(); ++i) EXPECT_TRUE(same_ownership(there[i].at, twice[i].at, t.ranks)) << i;
  // An empty brick may be written in several ways; everything else comes back exactly.
  if (!uses_bricks(s)) {
    EXPECT_EQ(again, s);
  }
  EXPECT_EQ(parse_schedule(to_text(s)), s);
  EXPECT_EQ(parse_schedule(to_text(back)), back);
}

// ---- the table of algorithms.md

TEST(generators, slab_has_one_exchange) {
  for (int d = 2; d <= 6; ++d) EXPECT_EQ(exchange_counts(task_of(even_shape(d), 4), "slab"), std::set<int>{1}) << d;
}

TEST(generators, pencil_has_two_exchanges) {
  for (int d = 3; d <= 6; ++d) {
    task t = task_of(even_shape(d), 6);
    t.on = grid({3, 2});
    EXPECT_EQ(exchange_counts(t, "pencil"), std::set<int>{2}) << d;
  }
}

TEST(generators, highdim_has_one_exchange_per_grid_axis) {
  for (int d = 4; d <= 6; ++d) {
    for (int r = 3; r < d; ++r) {
      task t = task_of(even_shape(d), 1 << r);
      t.on = grid(std::vector<int>(at(r), 2));
      EXPECT_EQ(exchange_counts(t, "highdim"), std::set<int>{r}) << "d " << d << " r " << r;
    }
  }
}

TEST(generators, fewexchange_has_as_few_as_the_formula) {
  for (int d = 4; d <= 6; ++d) {
    for (int r = 2; r < d; ++r) {
      task t = task_of(even_shape(d), 1 << r);
      t.on = grid(std::vector<int>(at(r), 2));
      const int whole = d - r;
      EXPECT_EQ(exchange_counts(t, "fewexchange"), std::set<int>{(d + whole - 1) / whole - 1})
          << "d " << d << " r " << r;
    }
  }
}

TEST(generators, brick_to_brick_adds_two) {
  for (int d = 2; d <= 6; ++d) {
    task t = task_of(even_shape(d), 4);
    const distribution bricks = distribution::bricks(t.shape, grid([&] {
                                                       std::vector<int> g(at(d), 1);
                                                       g[0] = g[1] = 2;
                                                       return g;
                                                     }()));
    // These bricks leave the last axes whole, if there are any: entering and leaving still cost one each.
    t.in = bricks;
    t.out = bricks;
    const int through_slabs = *exchange_counts(t, "slab").begin();
    EXPECT_LE(through_slabs, 3) << d;
    if (d == 2) {
      EXPECT_EQ(through_slabs, 3);
      EXPECT_EQ(exchange_counts(t, "brick"), std::set<int>{3});
    } else {
      EXPECT_LE(*exchange_counts(t, "brick").rbegin(), 4) << d;
    }
    task one_sided = t;
    one_sided.out.reset();
    EXPECT_LE(*exchange_counts(one_sided, "slab").begin(), 2) << d;
  }
  task t = task_of({8, 8, 8}, 8);
  t.in = t.out = distribution::bricks(t.shape, grid({2, 2, 2}));
  EXPECT_EQ(exchange_counts(t, "slab"), std::set<int>{3});
  EXPECT_EQ(*exchange_counts(t, "pencil").rbegin(), 4);
}

TEST(generators, cyclic_has_one_exchange_from_and_to_the_same) {
  for (int d = 1; d <= 6; ++d) {
    for (int r = 1; r <= d; ++r) {
      task t = task_of(even_shape(d), 1 << r);
      std::vector<chain> chains(at(d));
      for (int l = 0; l < r; ++l) chains[at(l)] = {{split::kind::cyclic, l, 1}};
      t.in = distribution(t.shape, grid(std::vector<int>(at(r), 2)), chains);
      t.out_same = true;
      EXPECT_EQ(exchange_counts(t, "cyclic"), std::set<int>{1}) << "d " << d << " r " << r;
      EXPECT_EQ(exchange_counts(t, "volumetric"), std::set<int>{r}) << "d " << d << " r " << r;
      if (r > 1) {
        // One axis or more by transposition instead.
        EXPECT_GT(*exchange_counts(t, "mixed").begin(), 1) << "d " << d << " r " << r;
      }
    }
  }
}

TEST(generators, outputs_that_digits_cannot_see_cost_an_exchange_more) {
  // The grid axis of 8 is cut finer for 32 = 4 x 4 x 2, and blocks do not follow.
  for (const char* out : {"[* b0]", "[* z0]", "[* c0/2]"}) {
    task t = task_of({32, 32}, 8);
    t.in = distribution::parse("[c0 *]", t.shape, grid({8}));
    t.out = distribution::parse(out, t.shape, grid({8}));
    for (const auto& c : algorithm::propose(t, "groupcyclic")) expect_sound(c.schedule, t);
    EXPECT_FALSE(algorithm::propose(t, "auto").empty());
  }
}

TEST(generators, many_split_axes_are_searched_in_bounds) {
  for (const char* name : {"volumetric", "cyclic", "mixed"}) {
    task t = task_of(even_shape(8), 256);
    std::vector<chain> chains(8);
    for (int l = 0; l < 8; ++l) chains[at(l)] = {{split::kind::cyclic, l, 1}};
    t.in = distribution(t.shape, grid(std::vector<int>(8, 2)), chains);
    const auto found = algorithm::propose(t, name);
    EXPECT_LE(found.size(), 200U) << name;
  }
  EXPECT_FALSE(algorithm::propose(task_of({1021, 1021, 1021}, 32768), "auto").empty());
}

TEST(generators, block_users_go_around_a_cyclic_core) {
  task t = task_of({64}, 4);
  EXPECT_EQ(exchange_counts(t, "cyclic"), std::set<int>{1});
  t.in = distribution::parse("[b0]", {64}, grid({4}));
  EXPECT_EQ(exchange_counts(t, "cyclic"), std::set<int>{2});
  t.out = t.in;
  EXPECT_EQ(exchange_counts(t, "cyclic"), std::set<int>{3});
}

TEST(generators, a_prime_axis_goes_to_one_rank) {
  task t = task_of({13}, 4);
  EXPECT_FALSE(algorithm::propose(t, "auto").empty());
  t.in = distribution::parse("[b0]", {13}, grid({4}));
  t.out = t.in;
  EXPECT_EQ(*exchange_counts(t, "auto").begin(), 2);
}

TEST(generators, dalcin_appendix_a) {
  task t = task_of({42, 127, 256}, 6);
  t.in = distribution::parse("[b0 b1 *]", t.shape, grid({3, 2}));
  t.out = distribution::parse("[* b0 b1]", t.shape, grid({3, 2}));
  const auto found = algorithm::propose(t, "pencil");
  const std::string paper = "forward 42x127x256: [b0 b1 *]@3x2 | T(2) | R[b0 * b1]@3x2 | T(1) | R[* b0 b1]@3x2 | T(0)";
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const auto& c) { return to_text(c.schedule) == paper; }));
  for (const auto& c : found) EXPECT_EQ(exchanges_of(c.schedule), 2);
}

TEST(generators, dalcin_appendix_b) {
  task t = task_of({16, 17, 18, 19}, 8);
  t.kinds = fourier_kinds(4, t.axes, 3);
  t.in = distribution::parse("[b0 b1 b2 *]", t.shape, grid({2, 2, 2}));
  const auto found = algorithm::propose(t, "highdim");
  const std::string paper =
      "forward 16x17x18x19 half 3: [b0 b1 b2 *]@2x2x2 | T(3) | R[b0 b1 * b2]@2x2x2 | T(2) | R[b0 * b1 b2]@2x2x2 | T(1)"
      " | R[* b0 b1 b2]@2x2x2 | T(0)";
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const auto& c) { return to_text(c.schedule) == paper; }))
      << to_text(found.front().schedule);
  for (const auto& c : found) EXPECT_EQ(exchanges_of(c.schedule), 3);
}

TEST(generators, what_is_whole_already_moves_nothing) {
  task t = task_of({6, 8, 9}, 3);
  t.axes = {1, 2};
  t.kinds = fourier_kinds(3, t.axes, -1);
  t.in = t.out = distribution::parse("[b0 * *]", t.shape, grid({3}));
  EXPECT_EQ(*exchange_counts(t, "slab").begin(), 0);
}

// ---- all algorithms on all kinds of tasks

task random_task(dice& d) {
  task t = task_of(random_shape(d, d.small(1, 6), 5000), d.small(1, 12));
  if (d.once_in(3) && t.shape.size() > 1) {
    d.shuffle(t.axes);
    t.axes.resize(at(d.between(1, static_cast<integer>(t.axes.size()))));
    std::sort(t.axes.begin(), t.axes.end());
  }
  t.kinds = fourier_kinds(t.shape.size(), t.axes, d.once_in(2) ? d.pick(t.axes) : -1);
  if (d.once_in(2)) {
    t.in = random_cyclic(d, t.shape, t.ranks, 5000);
  } else if (d.once_in(2)) {
    t.in = random_distribution(d, t.shape, t.ranks);
  }
  switch (d.small(0, 3)) {
    case 0: break;
    case 1: t.out_same = true; break;
    default: t.out = random_distribution(d, extents_after(t.shape, t.kinds), t.ranks);
  }
  return t;
}

TEST(generators, every_algorithm_is_sound_on_every_kind_of_task) {
  dice d(21);
  std::map<std::string_view, int> made;
  for (int draw = 0; draw < 300; ++draw) {
    const task t = random_task(d);
    for (const auto& e : algorithm::algorithms()) {
      try {
        for (const auto& c : algorithm::propose(t, e.name)) {
          expect_sound(c.schedule, t);
          ++made[e.name];
          ASSERT_FALSE(::testing::Test::HasFailure()) << e.name << " draw " << draw;
        }
      } catch (const applicability_error& why) {
        EXPECT_NE(std::string(why.what()).find(e.name), std::string::npos);
      }
    }
    ASSERT_FALSE(algorithm::propose(t, "auto").empty()) << draw;
  }
  for (const auto& e : algorithm::algorithms()) EXPECT_GT(made[e.name], 5) << e.name;
}

TEST(generators, transforms_that_wait_for_an_exchange_are_sound) {
  dice d(22);
  planner::machine small;
  small.tile_bytes = 512;  // few axes go in one pass
  int changed = 0;
  for (int draw = 0; draw < 200; ++draw) {
    const task t = random_task(d);
    planner::pricer prices(t.ranks, precision::f64, small);
    for (const auto& c : algorithm::propose(t, "auto")) {
      planner::cost cost = prices.cost_of(c.schedule);
      const int before = cost.passes;
      const schedule s = planner::with_fewest_passes(c.schedule, cost, prices);
      expect_sound(s, t);
      ASSERT_FALSE(::testing::Test::HasFailure()) << to_text(c.schedule) << " became " << to_text(s);
      EXPECT_EQ(prices.cost_of(s).passes, cost.passes);
      EXPECT_EQ(exchanges_of(s), exchanges_of(c.schedule));
      EXPECT_EQ(s == c.schedule, cost.passes == before);
      changed += cost.passes < before ? 1 : 0;
    }
  }
  EXPECT_GT(changed, 20);
}

TEST(generators, unknown_names_list_the_known_ones) {
  try {
    (void)algorithm::propose(task_of({4, 4}, 2), "slub");
    FAIL() << "no error";
  } catch (const name_error& e) {
    EXPECT_NE(std::string(e.what()).find("'slub'"), std::string::npos);
    for (const auto& entry : algorithm::algorithms()) {
      EXPECT_NE(std::string(e.what()).find(entry.name), std::string::npos) << e.what();
    }
  }
}

// ---- validation and texts

schedule slab_of(int real_axis = -1) {
  const extents shape{6, 8};
  const grid on({2});
  const auto kinds = fourier_kinds(2, {0, 1}, real_axis);
  const auto half = extents_after(shape, kinds);
  return {direction::forward,
          shape,
          kinds,
          distribution::parse("[b0 *]", shape, on),
          {transform_stage{{1}}, redistribute_stage{distribution::parse("[* b0]", half, on)}, transform_stage{{0}}}};
}

TEST(schedules, validation_finds_what_is_wrong) {
  EXPECT_NO_THROW(validate(slab_of(), {0, 1}));
  EXPECT_NO_THROW(validate(slab_of(1), {0, 1}));
  EXPECT_THROW(validate(slab_of(), {1}), internal_error) << "an axis that was not asked for";
  schedule missing = slab_of();
  missing.stages.pop_back();
  EXPECT_THROW(validate(missing, {0, 1}), internal_error);
  schedule twice = slab_of();
  twice.stages.push_back(transform_stage{{0}});
  EXPECT_THROW(validate(twice, {0, 1}), internal_error);
  schedule split = slab_of();
  std::swap(split.stages[0], split.stages[2]);
  EXPECT_THROW(validate(split, {0, 1}), internal_error) << "axis 0 is not whole at first";
  schedule late = slab_of();
  late.kinds = fourier_kinds(2, {0, 1}, 0);
  EXPECT_THROW(validate(late, {0, 1}), internal_error) << "the real axis must come first";
  schedule kindless = slab_of();
  kindless.kinds[0] = line_kind::none;
  EXPECT_THROW(validate(kindless, {0, 1}), internal_error) << "nothing is said of what axis 0 becomes";
  schedule nowhere = slab_of();
  nowhere.stages.push_back(transform_stage{{2}});
  EXPECT_THROW(validate(nowhere, {0, 1}), internal_error) << "there is no axis 2";
}

/// Schedules of digits: what validation says of a text, "" for nothing.
std::string complaint(std::string_view text, const std::vector<int>& axes) {
  try {
    validate(parse_schedule(text), axes);
  } catch (const internal_error& e) {
    return e.what();
  }
  return {};
}

void expect_complaint(std::string_view text, std::string_view why) {
  const std::string said = complaint(text, {0});
  EXPECT_NE(said.find(why), std::string::npos) << text << " should say '" << why << "' and says '" << said << "'";
}

TEST(schedules, validation_lets_digits_pass) {
  // A finer grid numbers the same ranks, the residue of the outer split running fastest.
  const std::string finer = "forward 32: [c0]@8 | V(4x4x2)[* c1c0 c2]@2x2x2 | T(0) | W(0) | R[c1c0 * c2]@2x2x2 | T(1)";
  for (const std::string& text : {
           std::string("forward 64: [c0]@4 | V(16x4)[* c0]@4 | T(0) | W(0) | R[c0 *]@4 | T(1) | V[c0]@4"),
           std::string("backward 64: [c0]@4 | V(16x4)[c0 *]@4 | T(1) | R[* c0]@4 | W(0) | T(0) | V[c0]@4"),
           std::string("forward 128: [c0/8]@2 | V(8x16)[* b0]@2 | T(0) | W(0) | R[b0 *]@2 | T(1) | V[c0/4]@2"),
           std::string("backward 128: [c0/4]@2 | V(8x16)[b0 *]@2 | T(1) | R[* b0]@2 | W(0) | T(0) | V[c0/8]@2"),
           std::string("forward 64: [b0]@4 | V(8x8)[b0 *]@4 | R[* b0]@4 | T(0) | W(0) | R[b0 *]@4 | T(1) | R[* b0]@4"
                       " | V[b0]@4"),
           // The last digit over the ranks is now the most significant one: blocks.
           std::string("forward 64: [c0]@4 | V(16x4)[* c0]@4 | T(0) | W(0) | R[c0 *]@4 | T(1) | R[* c0]@4 | V[b0]@4"),
           std::string("forward 64: [c0]@4 | V(16x4)[* c0]@4 | T(0) | W(0) | R[* *]@1 | T(1) | V[*]@1"),
           finer + " | W(1) | R[c2c1 c0 *]@2x2x2 | T(2) | V[c0]@8",
       }) {
    EXPECT_EQ(complaint(text, {0}), "") << text;
    EXPECT_EQ(to_text(parse_schedule(text)), text);
    EXPECT_NO_THROW(validate(inverse(parse_schedule(text)), {0})) << text;
  }
}

TEST(schedules, validation_knows_the_digits_of_cosines) {
  const std::string head = "forward 64 kinds dct2: [h0]@4 | V(16x4)[* c0]@4",
                    tail = " | T(0) | W(0) | R[z0 *]@4 | T(1)";
  const std::string there = head + tail + " | V[z0]@4";
  const std::string back = "forward 64 kinds dct3: [z0]@4 | V(9x8)[z0 *]@4 | T(1) | R[* c0]@4 | W(0) | T(0) | V[h0]@4";
  const std::string same = "forward 64 kinds dct4: [h0]@4 | V(16x4)[* c0]@4 | T(0) | W(0) | R[c0 *]@4 | T(1) | V[h0]@4";
  for (const auto& text : {there, back, same}) {
    const schedule s = parse_schedule(text);
    EXPECT_EQ(complaint(text, {0}), "") << text;
    EXPECT_EQ(to_text(s), text);
    EXPECT_NO_THROW(validate(inverse(s), {0})) << text;
    EXPECT_EQ(digits_ascend(s), text != back);
    EXPECT_EQ(digits_ascend(inverse(s)), text == back);
    EXPECT_EQ(stations_of(s)[3].element, element_type::complex);
    EXPECT_EQ(output_of(s).shape(), extents{64});
  }
  for (const char* whole : {"V[c0]@4", "V[h0]@4", "V[b0]@4", "V[*]@1"}) {
    expect_complaint(head + tail + " | " + whole, "changes what ranks have");
  }
  const std::string digits = " | V(16x4)[* c0]@4";
  for (const char* whole : {"V[c0]@4", "V[z0]@4", "V[b0]@4", "V[*]@1"}) {
    expect_complaint(same.substr(0, same.rfind('|')) + "| " + whole, "changes what ranks have");
  }
  expect_complaint("forward 64 kinds dct4: [h0]@4 | V(16x4)[* c0]@4 | T(0) | W(0) | R[z0 *]@4 | T(1) | V[h0]@4",
                   "changes what ranks have");
  for (const char* in : {"[c0]@4", "[z0]@4", "[b0]@4", "[h0+1]@4"}) {
    expect_complaint("forward 64 kinds dct2: " + (in + digits + tail) + " | V[z0]@4", "changes what ranks have");
  }
  expect_complaint("forward 48 kinds dct2: [h0]@4 | V(12x4)[* c0]@4" + tail + " | V[z0]@4", "twice the square");
  expect_complaint("forward 64 kinds dct1: [h0]@4 | V(16x4)[* c0]@4" + tail + " | V[z0]@4", "has no digits");
  expect_complaint("forward 64 kinds dct3: [z0]@4 | V(9x9)[z0 *]@4 | T(1) | R[* c0]@4 | W(0) | T(0) | V[h0]@4",
                   "not in pairs");
  expect_complaint(head + " | T(0) | R[z0 *]@4 | T(1) | V[z0]@4", "digit 0 has no twiddles");
  const auto expect_of_two = [](const std::string& text, const char* why) {
    const std::string said = complaint("forward 32x32 kinds " + text, {0, 1});
    EXPECT_NE(said.find(why), std::string::npos) << text << " should say '" << why << "' and says '" << said << "'";
  };
  expect_of_two("dct2,dct2: [h0 *]@4 | V(8x4,32)[* c0 *]@4 | T(0,2) | W(0) | R[z0 * *]@4 | T(1) | V[z0 *]@4", "");
  expect_of_two("dct2,dct2: [h0 *]@4 | V(8x4,32)[* c0 *]@4 | T(2,0) | W(0) | R[z0 * *]@4 | T(1) | V[z0 *]@4",
                "first and last");
  expect_of_two("dct2,dct2: [h0 h1]@4x2 | V(8x4,16x2)[* c0 * c1]@4x2 | T(0,2) | W(0,2) | R[z0 * z1 *]@4x2 | T(1,3)",
                "several axes with cosine");
  expect_of_two("dct2,c2c: [h0 *]@4 | V(8x4,32)[* c0 *]@4 | T(0,2) | W(0) | R[c0 * *]@4 | T(1)", "has no digits");
}

TEST(schedules, validation_lets_pass_where_ranks_have_nothing) {
  // Of three modes in blocks of four, ranks that are not first along the grid's axis 0 have nothing: by that axis after
  // the view, by the other before.
  const std::string text =
      "forward 5x16 half 0: [c0/4 c1]@5x2 | V(5,8x2)[c0/4 * c1]@5x2 | R[* * c1c0/4]@5x2 | T(0,1) | W(1)"
      " | R[* c1c0/4 *]@5x2 | T(2) | V[c0/4 c1]@5x2";
  EXPECT_EQ(complaint(text, {0, 1}), "");
  EXPECT_NO_THROW(validate(inverse(parse_schedule(text)), {0, 1}));
  // In blocks of two one of them has a mode.
  std::string finer = text;
  finer.replace(finer.rfind("c0/4"), 4, "c0/2");
  EXPECT_NE(complaint(finer, {0, 1}).find("changes what ranks have"), std::string::npos);
}

TEST(schedules, validation_finds_wrong_twiddles) {
  const std::string head = "forward 64: [c0]@4 | V(16x4)[* c0]@4", tail = " | T(1) | V[c0]@4";
  expect_complaint(head + " | T(0) | R[c0 *]@4" + tail, "digit 0 has no twiddles");
  expect_complaint(head + " | T(0) | R[c0 *]@4 | W(0)" + tail, "digit 0 has no twiddles");
  expect_complaint(head + " | T(0) | W(1) | R[c0 *]@4" + tail, "digit 0 has no twiddles");
  expect_complaint(head + " | W(0) | T(0) | R[c0 *]@4" + tail, "twiddles stand on the wrong side of T");
  expect_complaint(head + " | T(0) | W(0) | R[c0 *]@4 | T(1) | W(1) | V[c0]@4", "is no digit that takes twiddles");
  expect_complaint(head + " | T(0) | W(0) | R[c0 *]@4 | W(0)" + tail, "do not stand next to its transform");
  expect_complaint("forward 64: [*]@1 | V(16x4)[* *]@1 | T(0) | W(0) | T(1) | V[*]@1", "too many indices of the");
  expect_complaint("forward 64: [c0]@4 | V(4x4x4)[* * c0]@4 | T(0) | W(0) | V[c0]@4", "too many indices of the");
  expect_complaint("forward 64: [*]@1 | T(0) | W(0)", "is no digit that takes twiddles");
  // Backward the twiddles come first.
  const std::string back = "backward 64: [c0]@4 | V(16x4)[c0 *]@4 | T(1) | R[* c0]@4";
  expect_complaint(back + " | T(0) | W(0) | V[c0]@4", "digit 0 has no twiddles");
  expect_complaint(back + " | T(0) | V[c0]@4", "digit 0 has no twiddles");
}

TEST(schedules, validation_finds_digits_out_of_order) {
  expect_complaint(
      "forward 64: [c0]@4 | V(16x4)[* c0]@4 | R[c0 *]@4 | T(1) | R[* c0]@4 | T(0) | W(0) | R[c0 *]@4 | V[c0]@4",
      "digits are transformed out of order");
  expect_complaint("backward 64: [c0]@4 | V(16x4)[c0 *]@4 | R[* c0]@4 | W(0) | T(0) | R[c0 *]@4 | T(1) | V[c0]@4",
                   "digits are transformed out of order");
  // Three digits, the second one first.
  expect_complaint(
      "forward 64: [c0]@16 | V(4x4x4)[* c0 c1]@4x4 | R[c0 * c1]@4x4 | T(1) | W(1) | R[* c0 c1]@4x4"
      " | T(0) | W(0) | R[c1 c0 *]@4x4 | T(2) | V[c0]@16",
      "digits are transformed out of order");
  expect_complaint("forward 64: [c0]@4 | V(16x4)[* c0]@4 | T(0) | W(0) | V[c0]@4",
                   "not every digit of an axis is transformed");
  expect_complaint("forward 64: [c0]@4 | V(16x4)[* c0]@4 | T(0) | W(0) | R[c0 *]@4 | T(1)", "ends with axes seen as");
  expect_complaint("forward 64: [*]@1 | T(0) | V(16x4)[* *]@1 | V[*]@1",
                   "a view stands between a transform and its exchange");
}

TEST(schedules, validation_finds_views_that_change_something) {
  // Entering: the less significant digit lies over the ranks.
  for (const char* seen : {"V(16x4)[c0 *]@4", "V(4x16)[c0 *]@4", "V(4x16)[* b0]@4", "V(16x4)[* c0]@2", "V(16x4)[* *]@1",
                           "V(16x4)[c0 c1]@2x2"}) {
    expect_complaint(std::string("forward 64: [c0]@4 | ") + seen + " | V[c0]@4", "changes what ranks have");
  }
  expect_complaint("forward 64: [b0]@4 | V(16x4)[* c0]@4 | V[b0]@4", "changes what ranks have");
  expect_complaint("backward 64: [c0]@4 | V(16x4)[* c0]@4 | V[c0]@4", "changes what ranks have");
  // The finer grid in another order: the same parts on other ranks.
  expect_complaint("forward 32: [c0]@8 | V(4x4x2)[* c1c2 c0]@2x2x2 | V[c0]@8", "changes what ranks have");
  // Leaving: the more significant one.
  const std::string inside = "forward 64: [c0]@4 | V(16x4)[* c0]@4 | T(0) | W(0) | R[c0 *]@4 | T(1)";
  for (const char* whole : {"V[b0]@4", "V[z0]@4", "V[c0/2]@4", "V[*]@1", "V[c0c1]@2x2"}) {
    expect_complaint(inside + " | " + whole, "changes what ranks have");
  }
  expect_complaint(inside + " | R[* c0]@4 | V[c0]@4", "changes what ranks have");
  // Other shapes, and views of views.
  expect_complaint("forward 64: [c0]@4 | V(16x2)[* c0]@4 | V[c0]@4", "a view changes an extent");
  for (const char* digits : {"16x4,1", "16x4x0", "64,1"}) {
    EXPECT_THROW((void)parse_schedule("forward 64: [c0]@4 | V(" + std::string(digits) + ")[* c0 *]@4"), argument_error);
  }
  expect_complaint("forward 64: [c0]@4 | V(16x4)[* c0]@4 | V(4x4x4)[* * c0]@4 | V[c0]@4", "a view of a view");
  const distribution cyclic = distribution::parse("[c0]@4", {64}, grid({1}));
  const auto kinds = fourier_kinds(1, {0}, -1);
  EXPECT_THROW(validate({direction::forward, {64}, kinds, cyclic, {view_stage{{}, cyclic}, transform_stage{{0}}}}, {0}),
               internal_error);
}

/// Every stage of these schedules is needed, except a last one that only moves.
TEST(schedules, validation_misses_no_stage) {
  std::vector<task> tasks;
  const auto add = [&](const extents& shape, const char* in) {
    task t = task_of(shape, 16);
    t.in = distribution::parse(in, shape, grid({1}));
    t.out_same = true;
    tasks.push_back(std::move(t));
  };
  add({64}, "[c0]@4");
  add({64}, "[c0]@16");
  add({64}, "[b0]@4");
  add({16, 16, 4}, "[c0 c1 *]@4x4");
  add({45, 50, 49}, "[c0 c1 *]@3x2");
  int tried = 0;
  for (const auto& t : tasks) {
    for (const char* name : {"cyclic", "mixed", "groupcyclic"}) {
      std::vector<algorithm::candidate> found;
      try {
        found = algorithm::propose(t, name);
      } catch (const applicability_error&) {
        continue;
      }
      for (const auto& c : found) {
        for (const auto& whole : {c.schedule, inverse(c.schedule)}) {
          for (std::size_t i = 0; i < whole.stages.size(); ++i) {
            if (i + 1 == whole.stages.size() && std::holds_alternative<redistribute_stage>(whole.stages[i])) continue;
            schedule shorter = whole;
            shorter.stages.erase(shorter.stages.begin() + static_cast<std::ptrdiff_t>(i));
            EXPECT_THROW(validate(shorter, t.axes), internal_error) << to_text(whole) << " without stage " << i;
            ++tried;
          }
        }
      }
    }
  }
  EXPECT_GT(tried, 100);
}

TEST(schedules, inverse_reverses_and_moves_back) {
  const schedule back = inverse(slab_of(1));
  EXPECT_EQ(to_text(back), "backward 6x8 half 1: [* b0]@2 | T(0) | R[b0 *]@2 | T(1)");
  EXPECT_EQ(back.input.shape(), (extents{6, 5}));
  EXPECT_EQ(output_of(back).shape(), (extents{6, 8}));
  EXPECT_EQ(inverse(back), slab_of(1));
}

TEST(schedules, drop_modes) {
  const std::string text = "forward 6x8x5 modes 6x4x3 half 2: [b0 * *]@2 | T(2,1) | R[* b0 *]@2 | T(0)";
  const schedule s = parse_schedule(text);
  EXPECT_EQ(to_text(s), text);
  EXPECT_NO_THROW(validate(s, {0, 1, 2}));
  const auto stations = stations_of(s);
  EXPECT_EQ(stations[0].at.shape(), (extents{6, 8, 5}));
  EXPECT_EQ(stations[1].at.shape(), (extents{6, 4, 2}));
  EXPECT_EQ(output_of(s).shape(), (extents{6, 4, 2}));
  EXPECT_EQ(kept_of(s, 0), (kept_modes{6, 6, 0, false}));
  EXPECT_EQ(kept_of(s, 1), (kept_modes{8, 2, 1, true})) << "0, 1, a gap, -1";
  EXPECT_EQ(kept_of(s, 2), (kept_modes{3, 2, 0, false}));
  const schedule back = inverse(s);
  EXPECT_EQ(back.input.shape(), (extents{6, 4, 2}));
  EXPECT_EQ(output_of(back).shape(), (extents{6, 8, 5}));
  EXPECT_EQ(length_at(back, stations_of(back)[0], 1), 8);
  EXPECT_EQ(to_text(parse_schedule(to_text(back))), to_text(back));
  EXPECT_THROW((void)parse_schedule("forward 6x8 modes 6: [b0 *]@2"), argument_error);
}

TEST(schedules, name_kinds_besides_fourier_transforms) {
  const std::string text = "forward 6x8x5 kinds dct2,none,r2c: [b0 * *]@2 | T(2) | R[* b0 *]@2 | T(0)";
  const schedule s = parse_schedule(text);
  EXPECT_EQ(to_text(s), text);
  EXPECT_EQ(output_of(s).shape(), (extents{6, 8, 3}));
  EXPECT_NO_THROW(validate(s, {0, 2}));
  const auto stations = stations_of(s);
  EXPECT_EQ(stations.front().element, element_type::real);
  EXPECT_EQ(kind_at(s, stations.front(), 0), line_kind::dct2);
  EXPECT_EQ(kind_at(s, stations.back(), 0), line_kind::complex_dct2) << "behind the real axis elements are complex";
  const std::vector<line_kind> together{line_kind::r2c, line_kind::complex_dct2};
  EXPECT_EQ(kinds_at(s, stations.front(), transform_stage{{2, 0}}), together);
  const schedule back = inverse(s);
  EXPECT_EQ(kind_at(back, stations_of(back).front(), 0), line_kind::complex_dct3);
  EXPECT_EQ(to_text(parse_schedule(to_text(back))), to_text(back));
  EXPECT_THROW((void)parse_schedule("forward 6x8 kinds dct2: [b0 *]@2"), argument_error);
  EXPECT_THROW((void)parse_schedule("forward 6x8 kinds dct2,dct7: [b0 *]@2"), name_error);
}

TEST(schedules, texts) {
  EXPECT_EQ(to_text(slab_of()), "forward 6x8: [b0 *]@2 | T(1) | R[* b0]@2 | T(0)");
  EXPECT_EQ(parse_schedule(to_text(slab_of(1))), slab_of(1));
  for (const char* bad :
       {"", "forward 6x8", "sideways 6x8: [b0 *]@2", "forward: [b0 *]@2", "forward 6x8: [b0 *]@2 | X",
        "forward 6x8: [b0 *]@2 | T(2)", "forward 6x8 half 7: [b0 *]@2",
        "forward 6x8:", "forward 64: [c0]@4 | V(16x4[* c0]@4", "forward 64: [c0]@4 | V(16y4)[* c0]@4",
        "forward 64: [c0]@4 | V(16x4)[* c0]@4 | T(2)", "forward 64: [c0]@4 | V(16x4)[* c0]@4 | W(2)"}) {
    EXPECT_THROW((void)parse_schedule(bad), argument_error) << bad;
  }
}

}  // namespace
}  // namespace weft::testing
