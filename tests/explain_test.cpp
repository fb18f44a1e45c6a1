// SPDX-License-Identifier: BSD-3-Clause
// Planning without ranks: explanations, machine texts, the choices they lead to.
#include "weft/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "brute.hpp"
#include "planner/choose.hpp"
#include "weft/error.hpp"

namespace weft::testing {
namespace {

TEST(machine_texts, come_back) {
  planner::machine m;
  m.name = "a b";
  m.ranks_per_node = 48;
  m.node = {1.25e-6, 1e-10};
  m.tile_bytes = 12345;
  EXPECT_EQ(planner::parse_machine(planner::to_text(m)), m);
  EXPECT_EQ(planner::parse_machine(""), planner::machine{});
  EXPECT_EQ(planner::parse_machine("# nothing\n\n  flop_seconds 2e-9 # slow\n").flop_seconds, 2e-9);
}

TEST(machine_texts, are_refused_by_name_and_value) {
  for (const char* text :
       {"flop_seconds", "flop_seconds fast", "flop_seconds -1", "flop_seconds nan", "flop_seconds inf", "flops 1",
        "ranks_per_node 0", "ranks_per_node 1e3", "ranks_per_node 99999999999"}) {
    try {
      (void)planner::parse_machine(text);
      FAIL() << text;
    } catch (const argument_error& e) {
      const std::string first = std::string(text).substr(0, std::string(text).find(' '));
      EXPECT_NE(std::string(e.what()).find(first), std::string::npos) << e.what();
    }
  }
}

TEST(explanations, are_sorted_and_complete) {
  problem what{.shape = {64, 48, 40}};
  const auto found = explain(what, {}, 12);
  ASSERT_FALSE(found.candidates.empty());
  // Of equals up to rounding, the order of the table decides; of those that split other axes alone, that of axes.
  const auto& chosen = found.candidates.front();
  for (const auto& c : found.candidates) EXPECT_LE(chosen.seconds, 1.5 * c.seconds) << c.schedule;
  const auto given = explain({.shape = {64, 48, 40}, .in = "[b0 * *]", .out = "[* b0 *]"}, {}, 12);
  for (const auto& c : given.candidates) EXPECT_LE(given.candidates.front().seconds, 1.2 * c.seconds) << c.schedule;
  EXPECT_TRUE(std::is_sorted(found.candidates.begin() + 1, found.candidates.end(),
                             [](const auto& a, const auto& b) { return a.seconds < b.seconds; }));
  for (const auto& c : found.candidates) {
    EXPECT_GT(c.seconds, 0);
    EXPECT_GT(c.passes, 0);
    EXPECT_FALSE(c.schedule.empty());
    EXPECT_NE(found.text(1000).find(c.in), std::string::npos);
  }
  for (const auto& r : found.refused) {
    EXPECT_FALSE(r.reason.empty());
    EXPECT_NE(found.text().find("not " + r.algorithm), std::string::npos);
  }
}

/// Messages and bytes of the candidate of `algorithm` with the fewest.
exchange_estimate first_exchange(const explanation& all, const std::string& algorithm) {
  for (const auto& c : all.candidates) {
    if (c.algorithm == algorithm) return c.exchanges.at(0);
  }
  throw std::runtime_error(algorithm + " has no candidate");
}

TEST(explanations, count_messages_and_bytes_by_level) {
  problem what{.shape = {64, 64, 64}};
  what.in = "[b0 * *]";
  options how;
  how.machine = "ranks_per_node 4";
  const auto slab = first_exchange(explain(what, how, 16), "slab");
  EXPECT_EQ(slab.node_messages, 3);
  EXPECT_EQ(slab.network_messages, 12);
  // Each message is 4 x 4 x 64 elements of 16 bytes.
  EXPECT_EQ(slab.node_bytes, 3 * 4 * 4 * 64 * 16);
  EXPECT_EQ(slab.network_bytes, 12 * 4 * 4 * 64 * 16);
}

TEST(explanations, count_what_the_rank_that_sends_most_sends) {
  problem what{.shape = {11, 3, 4}};
  what.in = "[b0 * *]";
  what.out = "[* b0 *]";
  // Rank 0 sends 6 x 1 x 4 elements and receives 5 x 2 x 4, rank 1 the other way round.
  const auto slab = first_exchange(explain(what, {}, 2), "slab");
  EXPECT_EQ(slab.node_bytes + slab.network_bytes, 5 * 2 * 4 * 16);
}

TEST(explanations, know_messages_of_half_the_bytes) {
  problem what{.shape = {64, 64, 64}};
  what.in = "[b0 * *]";
  options how;
  how.machine = "ranks_per_node 4";
  how.exchange = "p2p";
  const auto whole = explain(what, how, 16).candidates.front();
  how.message_tolerance = 1e-6;
  const auto half = explain(what, how, 16).candidates.front();
  ASSERT_EQ(half.schedule, whole.schedule);
  EXPECT_EQ(2 * half.exchanges.at(0).network_bytes, whole.exchanges.at(0).network_bytes);
  EXPECT_LT(half.seconds, whole.seconds);
  how.message_tolerance = 1e-9;  // too little
  EXPECT_EQ(explain(what, how, 16).candidates.front().seconds, whole.seconds);
  how.message_tolerance = 1e-6;
  how.exchange = "window";  // reads memory of the node as it is
  how.machine = "ranks_per_node 16";
  const auto shared = explain(what, how, 16).candidates.front();
  how.message_tolerance = 0;
  EXPECT_EQ(shared.seconds, explain(what, how, 16).candidates.front().seconds);
}

TEST(explanations, take_slabs_where_a_node_comes_back_to_its_input) {
  // Measured on 16 cores: one exchange less does not make up for lines of a few elements behind it.
  const auto chosen = [](const extents& shape, transform_kind kind, const char* exchange) {
    options how;
    how.exchange = exchange;
    return explain({.shape = shape, .kind = kind, .out = "same"}, how, 16).candidates.front();
  };
  for (const auto kind : {transform_kind::c2c, transform_kind::r2c}) {
    EXPECT_EQ(chosen({2048, 2048}, kind, "auto").algorithm, "slab");
    EXPECT_EQ(chosen({128, 128, 128}, kind, "auto").algorithm, "slab");
    EXPECT_EQ(chosen({128, 128, 128}, kind, "alltoallv").algorithm, "slab");
    // Shared arrays are written where they are; messages are unpacked.
    EXPECT_EQ(chosen({128, 128, 128}, kind, "auto").passes, 2);
    EXPECT_EQ(chosen({128, 128, 128}, kind, "alltoallv").passes, 3);
    EXPECT_EQ(chosen({128, 128, 128}, kind, "alltoallw").passes, 2);
  }
}

TEST(explanations, follow_the_machine) {
  // One exchange of all with all sends fewer bytes, several inside grid axes fewer messages: the price of a message
  // decides.
  problem what{.shape = {256, 256, 256}};
  options dear, cheap;
  dear.machine = "node_message_seconds 1e-3";
  cheap.machine = "node_message_seconds 0";
  dear.exchange = cheap.exchange = "alltoallv";
  EXPECT_EQ(explain(what, cheap, 64).candidates.front().algorithm, "slab");
  const auto few_messages = explain(what, dear, 64).candidates.front();
  EXPECT_GT(few_messages.exchanges.size(), 1U) << few_messages.schedule;
}

TEST(explanations, take_two_passes_for_six_short_axes) {
  for (const auto kind : {transform_kind::c2c, transform_kind::r2c}) {
    const auto chosen = explain({.shape = {16, 16, 16, 16, 16, 16}, .kind = kind}, {}, 2).candidates.front();
    EXPECT_EQ(chosen.passes, 2) << chosen.schedule;
    EXPECT_EQ(chosen.exchanges.size(), 1U) << chosen.schedule;
  }
}

TEST(explanations, serve_thousands_of_ranks) {
  problem what{.shape = {1024, 1024, 1024}};
  const auto found = explain(what, {}, 4096);
  EXPECT_NE(found.candidates.front().algorithm, "slab") << "only 1024 ranks would have work";
  EXPECT_THROW((void)explain(what, {}, 0), argument_error);
}

/// Two ranks on each node; 1 Gbit/s each way, for both of them, unless `more` says otherwise.
options on_slow_network(const std::string& more = {}) {
  options how;
  how.machine =
      "ranks_per_node 2\nnetwork_message_seconds 5e-6\nnetwork_latency_seconds 5e-5\nnetwork_byte_seconds 8e-9\n"
      "network_both_ways 1\n" +
      more;
  return how;
}

TEST(networks, that_are_slow_leave_all_but_one_node_idle) {
  const auto found = explain({.shape = {128, 128, 128}}, on_slow_network(), 6);
  EXPECT_EQ(found.candidates.front().ranks, 2) << found.text();
  auto all = on_slow_network();
  all.idle_ranks = false;
  EXPECT_EQ(explain({.shape = {128, 128, 128}}, all, 6).candidates.front().ranks, 6);
  EXPECT_EQ(explain({.shape = {128, 128, 128}}, on_slow_network("network_byte_seconds 1e-11"), 6).candidates[0].ranks,
            6);
}

TEST(networks, that_are_slow_want_few_exchanges_and_few_parts) {
  problem what{.shape = {144, 64, 36}};
  what.in = "[c0 * *]";
  what.out = "same";
  const auto found = explain(what, on_slow_network(), 6);
  EXPECT_EQ(found.candidates.front().exchanges.size(), 1U) << found.text();
  // Parts are sent unasked, so that they cost messages and not latency.
  for (const char* dear : {"network_message_seconds 5e-5", "network_latency_seconds 5e-5"}) {
    what = {.shape = {128, 128, 128}};
    what.in = "[b0 * *]";
    const auto chosen = explain(what, on_slow_network(dear), 6).candidates.front();
    EXPECT_EQ(chosen.exchange.find("streamed"), std::string::npos) << chosen.exchange;
  }
}

TEST(networks, cost_more_one_way_or_across_the_middle_and_less_beside_computing) {
  problem what{.shape = {128, 128, 128}};
  what.in = "[b0 * *]";
  const auto seconds = [&](const std::string& exchange, const std::string& more) {
    auto how = on_slow_network(more);
    how.algorithm = "slab";
    how.exchange = exchange;
    return explain(what, how, 6).candidates.front().seconds;
  };
  const double usual = seconds("alltoallv", "");
  // As many bytes each way: the figure is of both ways at once.
  EXPECT_NEAR(seconds("alltoallv", "network_both_ways 2"), usual, 1e-9);
  EXPECT_GT(seconds("alltoallv", "network_contention 2"), 1.5 * usual);
  // Whole messages are asked for first, pieces are not.
  const char* at_once = "network_message_seconds 0\nnetwork_latency_seconds 0";
  EXPECT_NEAR(seconds("pipelined", at_once), seconds("p2p", at_once), 1e-9);
  EXPECT_LT(seconds("pipelined", "network_latency_seconds 1e-3"), seconds("p2p", "network_latency_seconds 1e-3"));
  EXPECT_LT(seconds("pipelined", "network_overlap 0.5"), seconds("p2p", "network_overlap 0.5"));
  // So is handing messages over, behind bytes.
  const auto handing = [&](const std::string& overlap) {
    return seconds("alltoallv", overlap) - seconds("alltoallv", overlap + "network_message_seconds 0");
  };
  EXPECT_NEAR(handing("network_overlap 0.75\n"), 0.25 * handing(""), 1e-9);
  // One bundle for the only other node: one rank moves what two have.
  const auto gathered = [&](const std::string& more) {
    auto how = on_slow_network(more);
    how.algorithm = "slab";
    how.exchange = "nodewise";
    how.idle_ranks = false;
    problem small{.shape = {32, 32, 32}};
    small.in = "[b0 * *]";
    return explain(small, how, 4).candidates.front().seconds;
  };
  EXPECT_GT(gathered("network_lone_byte_seconds 8e-9"), 1.5 * gathered("network_lone_byte_seconds 4e-9"));
  EXPECT_NEAR(gathered("network_lone_byte_seconds 4e-9"), gathered(""), 1e-9);
  // Gathered on one rank: it receives and sends nothing.
  what = {.shape = {61 * 67}};
  what.in = "[b0]";
  const auto local = [&](const std::string& more) {
    auto how = on_slow_network(more);
    how.algorithm = "local";
    return explain(what, how, 6).candidates.front().seconds;
  };
  EXPECT_GT(local("network_both_ways 1"), 1.3 * local("network_both_ways 2"));
}

TEST(explanations, of_many_axes_are_found_soon) {
  const auto seconds_for = [](int ranks, const char* out) {
    problem what{.shape = extents(11, 2)};
    what.out = out;
    const std::clock_t start = std::clock();
    EXPECT_FALSE(explain(what, {}, ranks).candidates.empty());
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  // Much less here, and several seconds before the search knew when to stop: room for slow machines.
  EXPECT_LT(seconds_for(8, "any"), 1.5);
  EXPECT_LT(seconds_for(8, "same"), 1.5);
}

/// Arrays that users multiply with each other lie alike without being told to.
TEST(explanations, take_one_distribution_for_related_arrays) {
  for (const extents& shape :
       {extents{32, 32, 32}, {64, 64, 64}, {48, 64, 80}, {16, 16, 16, 16}, {100, 60, 84}, {17, 19, 23}, {30, 21, 14}}) {
    for (const int ranks : {2, 3, 4, 6, 7, 8}) {
      const auto sides_of = [&](integer batch, precision element, transform_kind kind) {
        const auto found =
            explain({.shape = shape, .kind = kind, .element = element, .batch = batch}, {}, ranks).candidates.front();
        return std::pair{found.in, found.out};
      };
      const auto usual = sides_of(1, precision::f64, transform_kind::c2c);
      EXPECT_EQ(sides_of(3, precision::f64, transform_kind::c2c), usual) << to_text(shape) << " on " << ranks;
      EXPECT_EQ(sides_of(1, precision::f32, transform_kind::c2c), usual) << to_text(shape) << " on " << ranks;
      EXPECT_EQ(sides_of(1, precision::f64, transform_kind::r2c), usual) << to_text(shape) << " on " << ranks;
    }
  }
}

/// One pass more is no matter of strides.
TEST(explanations, take_no_more_passes_for_related_arrays) {
  for (const extents& shape : {extents{4, 1024, 1024}, {8, 1000, 1000}, {2, 4096, 2048}}) {
    for (const auto kind : {transform_kind::c2c, transform_kind::r2c}) {
      const auto found = explain({.shape = shape, .kind = kind}, {}, 2);
      EXPECT_EQ(found.candidates.front().passes, 2) << found.text();
    }
  }
}

TEST(explanations, say_why_the_chosen_one_is_not_the_cheapest) {
  const auto found = explain({.shape = {32, 32, 32}}, {}, 2);
  const auto& chosen = found.candidates.front();
  int cheaper = 0;
  for (const auto& c : found.candidates) {
    if (c.seconds > 0.99 * chosen.seconds || c.exchanges.size() > chosen.exchanges.size()) continue;
    ++cheaper;
    EXPECT_NE(c.verdict.find("the chosen one splits the axes that related arrays do"), std::string::npos) << c.verdict;
  }
  EXPECT_GT(cheaper, 0) << found.text();
}

TEST(explanations, find_grids_with_the_coordinates_that_are_named) {
  const problem what{.shape = {30, 21, 14}, .in = "[b0 b1 *]", .out = "[b0+2 b1 *]"};
  const auto found = explain(what, {}, 6);
  EXPECT_EQ(found.candidates.front().out, "[b0+2 b1 *]@3x2") << found.text();
  EXPECT_THROW((void)explain({.shape = {30, 21, 14}, .in = "[b0+5 b1+5 *]"}, {}, 6), distribution_error);
}

TEST(explanations, do_not_refuse_what_they_choose) {
  for (const extents& shape : {extents{4, 4}, extents{2, 3, 2}, extents{16}, extents{64, 64, 64}}) {
    const auto found = explain({.shape = shape}, {}, 4);
    for (const auto& c : found.candidates) {
      EXPECT_EQ(std::ranges::find(found.refused, c.algorithm, &refused_algorithm::algorithm), found.refused.end())
          << c.algorithm << " for " << to_text(shape);
    }
  }
}

TEST(explanations, write_few_boxes_and_count_many) {
  problem what{.shape = {1024, 1024, 1024}};
  what.in = what.out = "brick";
  const auto many = explain(what, {}, 4096);
  const auto& chosen = many.candidates.front();
  EXPECT_TRUE(chosen.schedule.starts_with("forward 1024x1024x1024: bricks{0:64,0:64,0:64; 0:64,0:64,64:128; "));
  EXPECT_EQ(std::ranges::count(chosen.in, ';'), 4095);
  const std::string text = many.text();
  EXPECT_NE(text.find("bricks{4096 boxes} -> bricks{4096 boxes}: chosen\n"), std::string::npos) << text.substr(0, 1000);
  EXPECT_NE(text.find("schedule: forward 1024x1024x1024: bricks{4096 boxes} | R["), std::string::npos);
  EXPECT_TRUE(text.ends_with(" | Rbricks{4096 boxes}\n"));
  EXPECT_LT(text.size(), 10000U);
  const auto few = explain(what, {}, 4);
  EXPECT_NE(few.text().find("schedule: " + few.candidates.front().schedule + "\n"), std::string::npos);
}

TEST(explanations, serve_thousands_of_boxes_whose_faces_do_not_line_up) {
  dice d(21);
  problem what{.shape = {300, 310, 320}};
  what.in = random_bricks(d, what.shape, 3000);
  const double array = 300.0 * 310 * 320 * 16;
  // On one rank all boxes meet: as a single map their messages would have some 10^8 cells.
  for (const char* const engine : {"alltoallv", "pipelined", "streamed", "alltoallw"}) {
    const auto found = explain(what, {.algorithm = "local", .exchange = engine}, 3000);
    const auto bytes = static_cast<double>(found.candidates.front().workspace_bytes.value());
    EXPECT_LT(bytes, 3.3 * array) << engine;
  }
  EXPECT_FALSE(explain(what, {}, 3000).candidates.empty());
}

TEST(choices, leave_ranks_idle_only_where_that_saves_time) {
  const auto used = [](const extents& shape, const char* machine) {
    return explain({.shape = shape}, {.machine = machine}, 4).candidates.front().ranks;
  };
  EXPECT_EQ(used({12, 10, 8}, ""), 4) << "one rank would be faster, by microseconds";
  EXPECT_EQ(used({12, 10, 8}, "exchange_seconds 1e-2\nbarrier_seconds 1e-2\n"), 1);
}

}  // namespace
}  // namespace weft::testing
