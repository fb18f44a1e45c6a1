// SPDX-License-Identifier: BSD-3-Clause
// Random problems on up to 64 ranks of one process, through loopback exchanges.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "algorithm/algorithm.hpp"
#include "algorithm/four_step.hpp"
#include "bound.hpp"
#include "checker.hpp"
#include "device/device.hpp"
#include "planner/resolve.hpp"
#include "team.hpp"
#include "weft/error.hpp"
#include "weft/explain.hpp"

namespace weft::testing {
namespace {

/// An engine for each, in any mixture.
engine_list random_engines(dice& d, const schedule& made) {
  engine_list all;
  for (int i = 0; i < exchanges_of(made); ++i) {
    all.push_back(d.once_in(2) ? &exchange::loopback_engine : &exchange::loopback_plain_engine);
  }
  return all;
}

/// What was drawn and what ran, so that a table entry that never runs is noticed.
struct tally {
  int ran = 0, skipped = 0, in_blocks = 0, split_cosines = 0;
  std::map<std::string, int> algorithms, locals;
};

bool is_inside_axes(const std::string& name) {
  const auto names = inside_axis_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_draw(std::uint64_t seed, int ranks, integer most, topic about, tally& counts) {
  drawn t = draw_problem(seed, ranks, most, about);
  // Short lines of a device that the host plays are two digits now and then, as long ones are.
  device::limit_emulated_lines(seed % 3 == 0 ? 3 + static_cast<std::int64_t>(seed / 3 % 9)
                                             : device::usual_emulated_line);
  draw_tolerance(t);
  SCOPED_TRACE(describe(t));
  try {
    const auto task = planner::resolve(t.what, t.how, ranks);
    std::vector<algorithm::candidate> found;
    try {
      found = algorithm::propose(task, t.how.algorithm);
    } catch (const applicability_error&) {
      ++counts.skipped;
      EXPECT_NE(t.how.algorithm, "auto") << "auto must always find a schedule";
      return;
    }
    if (about == topic::inside_axes) {
      std::vector<algorithm::candidate> inside;
      for (const auto& c : found) {
        if (is_inside_axes(std::string(c.algorithm))) inside.push_back(c);
      }
      if (!inside.empty()) found = std::move(inside);
    }
    // Any candidate must be right, not only the one that the planner likes.
    dice d(seed + 55);
    const auto& chosen = found[at(d.between(0, static_cast<integer>(found.size()) - 1))];
    SCOPED_TRACE(to_text(chosen.schedule));
    const auto moves = random_engines(d, chosen.schedule);
    std::string trace;
    for (const auto* e : moves) trace += std::string(trace.empty() ? "" : ",") + std::string(e->name);
    SCOPED_TRACE(trace);
    team all(t, chosen.schedule, moves);
    checker(t, all).check();
    ++counts.ran;
    counts.in_blocks += all.has_blocks() ? 1 : 0;
    const auto stations = stations_of(chosen.schedule);
    counts.split_cosines +=
        std::ranges::any_of(stations, [&](const auto& s) { return cosine_axis_at(chosen.schedule, s) >= 0; }) ? 1 : 0;
    ++counts.algorithms[std::string(chosen.algorithm)];
    ++counts.locals[std::string(local::engine_named(t.how.local).name())];
  } catch (const std::exception& e) {
    FAIL() << e.what();
  }
}

class properties : public ::testing::TestWithParam<int> {};

tally check_draws(int draws, int most_ranks, topic about) {
  tally counts;
  const auto first = static_cast<std::uint64_t>(most_ranks) << (about == topic::anything ? 20U
                                                                : about == topic::ragged ? 40U
                                                                                         : 30U);
  for (const auto seed : seeds(draws, first)) {
    dice d(seed + 11);
    const int ranks = d.once_in(3) ? most_ranks : d.small(1, most_ranks);
    check_draw(seed, ranks, most_ranks <= 8 ? 20000 : 6000, about, counts);
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << rerun(seed);
      break;
    }
  }
  return counts;
}

TEST_P(properties, hold_for_random_problems) {
  const int draws = GetParam() <= 8 ? 250 : 120;
  tally counts = check_draws(draws, GetParam(), topic::anything);
  if (counts.ran + counts.skipped < 100) return;  // a rerun of a few draws
  EXPECT_GT(counts.ran, (counts.ran + counts.skipped) / 2) << "most draws must run";
  for (const auto& name : algorithm_names()) {
    if (!is_inside_axes(name)) {
      EXPECT_GT(counts.algorithms[name], 0) << name;
    }
  }
  for (const auto& name : local_names()) EXPECT_GT(counts.locals[name], 0) << name;
}

TEST_P(properties, hold_for_boxes_that_do_not_line_up) {
  const int draws = GetParam() <= 8 ? 150 : 60;
  const tally counts = check_draws(draws, GetParam(), topic::ragged);
  if (counts.ran + counts.skipped < 50) return;
  if (GetParam() >= 8) {
    EXPECT_GT(counts.in_blocks, counts.ran / 20);
  }
}

TEST_P(properties, hold_for_few_modes_of_few_elements) {
  const int draws = GetParam() <= 8 ? 150 : 60;
  const tally counts = check_draws(draws, GetParam(), topic::cut);
  if (counts.ran + counts.skipped < 50) return;
  EXPECT_GT(counts.ran, draws / 2) << "most draws must run";
}

TEST_P(properties, hold_for_transforms_inside_axes) {
  // Nothing is split on one rank.
  if (GetParam() == 1) return;
  const int draws = GetParam() <= 8 ? 250 : 120;
  tally counts = check_draws(draws, GetParam(), topic::inside_axes);
  if (counts.ran + counts.skipped < 100) return;
  for (const auto& name : inside_axis_names()) EXPECT_GT(counts.algorithms[name], 0) << name;
  EXPECT_GT(counts.split_cosines, (counts.ran + counts.skipped) / 40);
}

/// Figures of some machine, from slow to fast by orders of magnitude, so that planners choose all kinds of things.
std::string random_machine(dice& d) {
  std::string text = "ranks_per_node " + std::to_string(d.small(1, 16)) + "\n";
  for (const char* const figure :
       {"node_message_seconds", "node_byte_seconds", "shared_byte_seconds", "barrier_seconds",
        "network_message_seconds", "network_byte_seconds", "exchange_seconds", "pass_byte_seconds", "flop_seconds"}) {
    if (d.once_in(2)) text += std::string(figure) + " 1e-" + std::to_string(d.small(4, 12)) + "\n";
  }
  return text;
}

/// The options that other draws leave alone.
void draw_options(dice& d, drawn& t) {
  auto& o = t.how;
  o.deterministic = d.once_in(5) && o.message_tolerance == 0;
  if (d.once_in(2)) o.machine = random_machine(d);
  if (d.once_in(8)) o.memory_limit = d.between(1, 100000);
  if (d.once_in(6)) o.threads = 0;
  if (d.once_in(10)) {  // mostly the wrong number of them
    o.exchange = d.pick(exchange_names());
    for (int k = d.small(0, 3); k > 0; --k) o.exchange += "," + d.pick(exchange_names());
  }
  o.idle_ranks = d.once_in(2);
  o.planning = static_cast<effort>(d.small(0, 2));
}

/// One thing that is wrong, or may be.
void spoil(dice& d, drawn& t) {
  const auto broken = [&](std::string text) {
    if (!text.empty())
      text[at(d.between(0, static_cast<integer>(text.size()) - 1))] = d.pick<char>({'*', 'b', '9', '@'});
    return text;
  };
  auto& [what, how, ranks, seed, limits, shared, strided, padded] = t;
  switch (d.small(0, 12)) {
    case 0: what.shape[at(d.between(0, static_cast<integer>(what.shape.size()) - 1))] = d.between(-2, 0); break;
    case 1: what.shape.assign(at(d.between(0, 14)), 2); break;
    case 2: what.batch = d.between(-1, 0); break;
    case 3: what.real_axis = d.small(-3, 9); break;
    case 4: what.axes.push_back(d.small(-1, 7)); break;
    case 5: what.kinds.resize(at(d.between(0, 7)), "dct5"); break;
    case 6: what.modes.assign(what.shape.size(), d.between(-1, 40)); break;
    case 7: what.in = broken(what.in.full_text()); break;
    case 8: what.out = broken(what.out.full_text()); break;
    case 9: how.grid = broken("2x3"); break;
    case 10: (d.once_in(2) ? how.algorithm : how.local) = "none such"; break;
    case 11: how.machine = broken("flop_seconds 1e-9"); break;
    default: {
      box& part = d.once_in(2) ? what.input_box : what.output_box;
      const integer axes = d.between(0, 7), low = d.between(-1, 3), high = d.between(-1, 5);
      part.low.assign(at(axes), low);
      part.high.assign(what.shape.size(), high);
    }
  }
}

/// What became of draws: right, or an error with a reason; anything else is a failure.
struct outcomes {
  long right = 0;
  std::map<int, long> refused;  // by code
};

/// Through the planner, as a user's plan goes, on any machine and with any options, right or wrong ones.
void check_whole(std::uint64_t seed, outcomes& counts) {
  dice d(seed ^ 0x77686F6C65U);
  const int ranks = d.once_in(4) ? d.small(9, 24) : d.small(1, 8);
  drawn t = draw_problem(seed, ranks, 1500, static_cast<topic>(d.small(0, 5)));
  draw_tolerance(t);
  draw_options(d, t);
  if (d.once_in(8)) spoil(d, t);
  SCOPED_TRACE(describe(t) + " machine " + t.how.machine + " memory limit " + std::to_string(t.how.memory_limit));
  try {
    const auto chosen = explain(t.what, t.how, ranks).candidates.front();
    EXPECT_EQ(chosen.verdict, "chosen");
    const auto made = parse_schedule(chosen.schedule);
    SCOPED_TRACE(chosen.schedule);
    EXPECT_EQ(planner::without_batch(made.input, planner::stacking_of(t.what)).text(), chosen.in);
    t.how.local = chosen.local;
    t.how.threads = chosen.threads;
    team all(t, made, random_engines(d, made));
    checker(t, all).check();
    ++counts.right;
  } catch (const error& e) {
    EXPECT_NE(e.code(), error_code::internal) << e.what();
    EXPECT_FALSE(std::string(e.what()).empty());
    ++counts.refused[static_cast<int>(e.code())];
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what();
  }
}

/// WEFT_DRAWS=100000 property_test --gtest_filter=whole* runs so many.
TEST(whole_problems, are_right_or_refused_with_a_reason) {
  outcomes counts;
  const auto all = seeds(200, 7000000);
  for (const auto seed : all) {
    check_whole(seed, counts);
    if (HasFailure()) FAIL() << rerun(seed);
  }
  std::string refused;
  for (const auto& [code, times] : counts.refused)
    refused += " " + std::to_string(times) + " of code " + std::to_string(code);
  std::printf("%zu whole problems: %ld right, refused%s\n", all.size(), counts.right, refused.c_str());
  // About half of them; of few, as sanitizers have, hardly any may be.
  if (all.size() == 1) return;
  EXPECT_GT(counts.right, all.size() < 100 ? 0 : static_cast<long>(all.size()) / 3) << "many draws must run";
}

/// Digits beyond the first, each of at most n/p: what the exchanges of one axis are for. Where n/p leaves a
/// rest in p that does not divide it, there are three digits.
int expected_exchanges(integer n, integer p) {
  integer rest = p;
  while (rest % (n / p) == 0) rest /= n / p;
  if ((n / p) % rest != 0) return 2;
  int exchanges = 0;
  for (integer done = n / p; done < n; done *= n / p) ++exchanges;
  return exchanges;
}

TEST(inside_one_axis, every_number_of_ranks_that_divides) {
  int four_step = 0, beyond = 0;
  for (int p = 2; p <= 64; ++p) {
    for (integer m = 2; m <= 8 || (m == p && m <= 24); m = m == 8 ? std::max(p, 9) : m + 1) {
      const integer n = m * p;
      const auto how = algorithm::split_of(n, p);
      if (how == algorithm::axis_split::none) continue;
      drawn t;
      t.ranks = p;
      t.seed = static_cast<std::uint64_t>(n);
      t.what.shape = {n};
      t.what.in = "[c0]";
      t.what.out = "same";
      SCOPED_TRACE(describe(t));
      const char* const name = how == algorithm::axis_split::four_step ? "cyclic" : "groupcyclic";
      ++(how == algorithm::axis_split::four_step ? four_step : beyond);
      for (const auto& c : algorithm::propose(planner::resolve(t.what, t.how, p), name)) {
        SCOPED_TRACE(to_text(c.schedule));
        EXPECT_EQ(exchanges_of(c.schedule), expected_exchanges(n, p));
        team all(t, c.schedule, only(exchange::loopback_engine, c.schedule));
        checker(t, all).check();
      }
      ASSERT_FALSE(HasFailure());
    }
  }
  EXPECT_GT(four_step, 20);
  EXPECT_GT(beyond, 20);
}

/// Ranks then have several indices of two digits, in images that are in pieces; random shapes are seldom that long.
TEST(inside_one_axis, where_exchanges_bring_blocks_and_take_them) {
  struct example {
    extents shape;
    const char* in;
    const char* out;
    int ranks;
  };
  const std::vector<example> all{{{4, 5808}, "[c1 c0/3]@22x2", "[b0 *]@51x1", 51},
                                 {{6, 2048}, "[c1 c0/4]@8x2", "[c0 *]@6", 16},
                                 {{2048, 3}, "[c0/8 b1]@4x3", "[c0/8 c1+1]@4x3", 12},
                                 {{3, 1152, 2}, "[b0 c1/4 *]@3x6", "[* c0/4 *]@12", 18},
                                 {{5, 1600}, "[b0 c1/2+3]@2x5", "[c0 *]@10", 10}};
  dice d(17);
  int ran = 0;
  for (const auto& e : all) {
    for (const auto kind : {transform_kind::c2c, transform_kind::r2c}) {
      drawn t;
      t.ranks = e.ranks;
      t.what.shape = e.shape;
      t.what.kind = kind;
      t.what.in = e.in;
      t.what.out = e.out;
      t.what.real_axis = kind == transform_kind::r2c && e.shape.front() < e.shape.back() ? 0 : -1;
      for (const auto& c : algorithm::propose(planner::resolve(t.what, t.how, e.ranks), "auto")) {
        if (!is_inside_axes(std::string(c.algorithm))) continue;
        t.how.in_place = d.once_in(2);
        SCOPED_TRACE(describe(t) + " " + to_text(c.schedule));
        team those(t, c.schedule, only(exchange::loopback_engine, c.schedule));
        checker(t, those).check();
        ASSERT_FALSE(HasFailure());
        ++ran;
      }
    }
  }
  EXPECT_GT(ran, 20);
}

/// Runs what `cyclic` has for `what`, which says where the input lies: to `out`, in place where there are two axes, and
/// as a batch on threads to any output. `look` sees the schedules.
template <class Look>
void check_cyclic(const problem& what, const char* grid_text, const char* out, const std::vector<std::string>& locals,
                  const Look& look) {
  for (const auto& local : locals) {
    for (const bool batched : {false, true}) {
      drawn t;
      t.ranks = grid::parse(grid_text).size();
      t.seed = static_cast<std::uint64_t>(volume(what.shape));
      t.what = what;
      t.what.batch = batched ? 2 : 1;
      t.what.out = batched ? "any" : out;
      t.how.grid = grid_text;
      t.how.local = local;
      t.how.threads = batched ? 2 : 1;
      t.how.in_place = !batched && what.shape.size() == 2;
      SCOPED_TRACE(describe(t));
      const auto found = algorithm::propose(planner::resolve(t.what, t.how, t.ranks), "cyclic");
      look(found);
      for (const auto& c : found) {
        SCOPED_TRACE(to_text(c.schedule));
        const auto& moves = batched ? exchange::loopback_plain_engine : exchange::loopback_engine;
        team all_ranks(t, c.schedule, only(moves, c.schedule));
        checker(t, all_ranks).check();
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(inside_the_real_axis, one_exchange_to_zigzag) {
  struct example {
    extents shape;
    int real_axis;
    const char* in;
    const char* grid;
    const char* out;
  };
  const std::vector<example> all{{{8}, 0, "[c0]", "2", "[z0]"},
                                 {{54}, 0, "[c0]", "3", "[z0]"},
                                 {{64}, 0, "[c0]", "4", "[z0]"},
                                 {{100}, 0, "[c0]", "5", "[z0]"},
                                 {{7, 18}, 1, "[* c0]", "3", "[* z0]"},
                                 {{18, 7}, 0, "[c0 *]", "3", "[z0 *]"},
                                 {{8, 5, 16}, 2, "[c0 * c1]", "2x2", "[z0 * z1]"},
                                 {{18, 6, 8}, 0, "[c0 * c1]", "3x2", "[z0 * z1]"},
                                 {{8, 18, 8}, 1, "[c0 c1 c2]", "2x3x2", "[z0 z1 z2]"},
                                 {{8, 8, 8, 3}, 2, "[c0 c1 c2 *]", "2x2x2", "[z0 z1 z2 *]"}};
  for (const auto& e : all) {
    const problem what{.shape = e.shape, .kind = transform_kind::r2c, .real_axis = e.real_axis, .in = e.in};
    check_cyclic(what, e.grid, e.out, local_names(), [](const std::vector<algorithm::candidate>& found) {
      for (const auto& c : found) EXPECT_EQ(exchanges_of(c.schedule), 1) << to_text(c.schedule);
    });
    ASSERT_FALSE(HasFailure());
  }
}

TEST(inside_a_cosine_axis, one_exchange_to_zigzag) {
  struct example {
    extents shape;
    std::vector<std::string> kinds;
    const char* in;
    const char* grid;
    const char* out;
  };
  const std::vector<example> all{{{8}, {"dct2"}, "[h0]", "2", "[z0]"},
                                 {{36}, {"dct2"}, "[h0]", "3", "[z0]"},
                                 {{16}, {"dct2"}, "[h0+1]", "2", "[z0+1]"},
                                 {{64}, {"dct2"}, "[h0]", "4", "[z0]"},
                                 {{100}, {"dct2"}, "[h0]", "5", "[z0]"},
                                 {{144}, {"dct2"}, "[h0+4]", "6", "[z0+4]"},
                                 {{7, 18}, {"dst1", "dct2"}, "[* h0]", "3", "[* z0]"},
                                 {{7, 36}, {"none", "dct2"}, "[* h0]", "3", "[* z0]"},
                                 {{18, 7}, {"dct2", "dct4"}, "[h0 *]", "3", "[z0 *]"},
                                 {{18, 6}, {"dct2", "none"}, "[h0 b1]", "3x2", "[z0 b1]"},
                                 {{8, 5, 16}, {"dct2", "dst2", "dct3"}, "[h0 * *]", "2", "[z0 * *]"},
                                 {{4, 18, 8}, {"dct1", "dct2", "dct2"}, "[* h0 *]", "3", "[* z0 *]"},
                                 {{4, 3, 16}, {"none", "dct1", "dct2"}, "[c1 * h0]", "2x2", "[c1 * z0]"},
                                 {{36}, {"dct3"}, "[z0]", "3", "[h0]"},
                                 {{64}, {"dct3"}, "[z0+2]", "4", "[h0+2]"},
                                 {{18, 7}, {"dct3", "dct4"}, "[z0 *]", "3", "[h0 *]"},
                                 {{8, 16, 5}, {"dct2", "dct3", "none"}, "[* z0 c1]", "2x2", "[* h0 c1]"},
                                 {{8}, {"dct4"}, "[h0]", "2", "[h0]"},
                                 {{36}, {"dct4"}, "[h0]", "3", "[h0]"},
                                 {{96}, {"dct4"}, "[h0+3]", "4", "[h0+3]"},
                                 {{18, 7}, {"dct4", "dst1"}, "[h0 *]", "3", "[h0 *]"},
                                 {{7, 36}, {"dct3", "dct4"}, "[* h0]", "3", "[* h0]"},
                                 {{8, 3, 16}, {"dct2", "none", "dct4"}, "[* c1 h0]", "2x2", "[* c1 h0]"}};
  auto locals = local_names();
  std::erase(locals, "gpu");  // devices have no digits of cosines
  for (const auto& e : all) {
    const problem what{.shape = e.shape, .kind = transform_kind::r2r, .kinds = e.kinds, .in = e.in};
    check_cyclic(what, e.grid, e.out, locals, [](const std::vector<algorithm::candidate>& found) {
      int fewest = 9;
      for (const auto& c : found) {
        fewest = std::min(fewest, exchanges_of(c.schedule));
        EXPECT_EQ(to_text(parse_schedule(to_text(c.schedule))), to_text(c.schedule));
      }
      EXPECT_EQ(fewest, 1);
    });
    ASSERT_FALSE(HasFailure());
  }
}

INSTANTIATE_TEST_SUITE_P(ranks, properties, ::testing::Values(1, 4, 8, 64));

}  // namespace
}  // namespace weft::testing
