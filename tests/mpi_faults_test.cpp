// SPDX-License-Identifier: BSD-3-Clause
// One rank fails at each step of binding, for want of memory: all must throw the same error, none may hang, and what is
// tried next must work.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "algorithm/algorithm.hpp"
#include "counters.hpp"
#include "mpi/agreement.hpp"
#include "mpi/board.hpp"
#include "mpi/meeting.hpp"
#include "mpi_support.hpp"
#include "planner/bound.hpp"
#include "planner/limits.hpp"
#include "planner/resolve.hpp"
#include "property.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace weft::testing {
namespace {

/// A schedule with two exchanges by one engine.
struct example {
  example(const std::string& engine, transform_kind kind, bool in_place) {
    what.shape = {4 * world_size(), 6 * world_size(), 5};
    what.kind = kind;
    what.in = "[b0 * *]";
    what.out = "same";
    how.in_place = in_place;
    how.exchange = engine;
    task = planner::resolve(what, how, world_size());
    const auto found = algorithm::propose(task, "slab").front();
    chosen.algorithm = "slab";
    chosen.forward = found.schedule;
    chosen.exchanges.assign(at(exchanges_of(found.schedule)), engine);
    chosen.local = "weft";
  }

  problem what;
  options how;
  algorithm::task task;
  planner::strategy chosen;
};

/// What `make` threw, empty if nothing; and how many allocations it made.
template <class Make>
std::string complaint_of(const Make& make, long fail_at, long& allocations) {
  std::string complaint;
  const long before = counters::now().allocations;
  counters::fail_allocation(fail_at);
  try {
    make();
    counters::fail_allocation(0);
  } catch (const error& thrown) {
    counters::fail_allocation(0);
    complaint = thrown.what();
  }
  allocations = counters::now().allocations - before;
  return complaint;
}

std::string bind(const example& e, const planner::crew& on, long fail_at, long& allocations) {
  return complaint_of([&] { const planner::bound tried(e.what, e.how, e.task, on, e.chosen); }, fail_at, allocations);
}

/// Which of the victim's allocations to fail: a few steps apart, and not the same ones each time.
struct steps {
  long first, stride, last;
};
steps steps_of(int victim, long allocations) {
  MPI_Bcast(&allocations, 1, MPI_LONG, victim, world());
  const long stride = std::max(1L, allocations / 80);
  long first = 1 + static_cast<long>(seeds(1, 1).front() % static_cast<std::uint64_t>(stride));
  MPI_Bcast(&first, 1, MPI_LONG, victim, world());
  return {first, stride, allocations};
}

/// Fails the victim's allocations one after the other.
void inject(const std::string& engine, transform_kind kind, bool in_place) {
  const example e(engine, kind, in_place);
  const planner::crew on{mpi::communicator(world())};
  long allocations = 0;
  ASSERT_EQ(bind(e, on, 0, allocations), "");  // makes what is kept for later: sub-communicators
  ASSERT_EQ(bind(e, on, 0, allocations), "");
  const int victim = world_size() - 1;
  int failures = 0;
  const auto [first, stride, last] = steps_of(victim, allocations);
  for (long n = first; n <= last; n += stride) {
    const std::string complaint = bind(e, on, world_rank() == victim ? n : 0, allocations);
    const auto all = texts_of_all(complaint);
    ASSERT_EQ(std::set(all.begin(), all.end()).size(), 1U) << engine << " allocation " << n << ": " << complaint;
    failures += complaint.empty() ? 0 : 1;
  }
  EXPECT_GT(failures, 10) << engine;
  EXPECT_EQ(bind(e, on, 0, allocations), "") << engine;
}

/// The same for a whole plan, which searches, asks and reports as well.
TEST(plans, throw_on_all_what_one_rank_meets) {
  if (world_size() == 1) return;
  const problem what{.shape = {4 * world_size(), 6 * world_size(), 5}, .in = "[b0 * *]"};
  const options how;
  const auto make = [&](long fail_at, long& allocations) {
    return complaint_of([&] { const plan tried(what, world(), how); }, fail_at, allocations);
  };
  long allocations = 0;
  ASSERT_EQ(make(0, allocations), "");              // makes what is kept for later: sub-communicators
  for (const int victim : {0, world_size() - 1}) {  // the first one searches, and tells the others
    ASSERT_EQ(make(0, allocations), "");
    const auto [first, stride, last] = steps_of(victim, allocations);
    for (long n = first; n <= last; n += stride) {
      const auto all = texts_of_all(make(world_rank() == victim ? n : 0, allocations));
      ASSERT_EQ(std::set(all.begin(), all.end()).size(), 1U) << "allocation " << n << ": " << all.front();
    }
  }
  EXPECT_EQ(make(0, allocations), "");
}

/// One rank stays away from a barrier in the middle of a transform: the others give up, the plan is of no use any more,
/// and a new one works.
TEST(peers, who_do_not_come_are_noticed) {
  if (world_size() == 1) return;
  constexpr double patience = 0.3;
  const int late = 1;
  options how;
  how.exchange = "window";
  how.peer_timeout = patience;
  const problem what{.shape = {4 * world_size(), 6 * world_size(), 5}, .in = "[b0 * *]", .out = "[* b0 *]"};
  c2c<double> plan(what, world(), how);
  auto x = plan.make_input();
  auto modes = plan.make_output();
  const auto outcome = [&](double seconds) {
    bool slept = false;
    try {
      plan.backward(modes, x, [&](auto, auto&) {
        if (world_rank() == late && !slept) usleep(static_cast<useconds_t>(seconds * 1e6));
        slept = true;
      });
    } catch (const mpi_error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(outcome(0), "no error");
  const auto first = outcome(5 * patience);
  if (world_rank() != late) {
    EXPECT_NE(first.find("rank 1, or one that it waits for, did not come"), std::string::npos) << first;
    EXPECT_NE(first.find("within 0.3 s"), std::string::npos) << first;
  }
  MPI_Barrier(world());
  EXPECT_NE(outcome(0), "no error") << "taken for punctual";
  c2c<double> another(what, world());
  auto y = another.make_input(), z = another.make_input();
  y.for_each([](auto i, auto& value) { value = static_cast<double>(i[0] + i[1]); });
  another.forward(y, modes);
  another.backward(modes, z);
  const double n = static_cast<double>(volume(what.shape));
  z.for_each([&](auto i, auto& value) { EXPECT_LT(std::abs(value / n - static_cast<double>(i[0] + i[1])), 1e-9); });
}

/// As a rank may be ahead of others, in rounds that follow each other and in parts of the ranks.
TEST(boards, unite_the_bits_of_all_ranks) {
  if (world_size() == 1) return;
  const auto on = planner::crew{mpi::communicator(world())}.all;
  if (!on.board()) GTEST_SKIP() << "ranks do not share memory";
  for (int round = 0; round < 2000; ++round) {
    const auto bit_of = [&](int rank) { return 1LL << ((7 * rank + round) % 63); };
    long long expected = 0;
    for (int r = 0; r < world_size(); ++r) expected |= bit_of(r);
    ASSERT_EQ(mpi::united_bits(on, bit_of(world_rank())), expected) << round;
  }
  std::vector<int> like_me;
  for (int r = world_rank() % 2; r < world_size(); r += 2) like_me.push_back(r);
  const auto sheet = mpi::board::take(on, 1).front();
  ASSERT_TRUE(sheet);
  const int rounds = world_rank() % 2 == 0 ? 500 : 300;
  for (int round = 0; round < rounds; ++round) ASSERT_FALSE(sheet->sign(on, like_me, 0)) << round;
}

/// However ranks came to different rounds, and whoever still has a sheet that others gave back.
TEST(boards, have_sheets_that_all_ranks_take_alike) {
  if (world_size() == 1) return;
  const auto on = planner::crew{mpi::communicator(world())}.all;
  if (!on.board()) GTEST_SKIP() << "ranks do not share memory";
  std::vector<int> all;
  for (int r = 0; r < world_size(); ++r) all.push_back(r);
  constexpr std::size_t few = 10;
  const auto all_null = [](const auto& sheets) { return std::ranges::count(sheets, nullptr) == std::ssize(sheets); };
  for (int repetition = 0; repetition < 3; ++repetition) {
    auto most = mpi::board::take(on, mpi::board::sheets + few);
    EXPECT_TRUE(all_null(std::vector(most.end() - few, most.end())));
    EXPECT_TRUE(all_null(mpi::board::take(on, 1)));
    for (const auto& s : most) ASSERT_FALSE(s && s->sign(on, all, 0));
    if (world_rank() == 0) most.clear();
    EXPECT_TRUE(all_null(mpi::board::take(on, 1)));
  }
  // One rank stays away from the first sheet: others give it up, and what is taken next is another one.
  const auto given_up = mpi::board::take(on, 1).front();
  ASSERT_TRUE(given_up);
  if (world_rank() != 0) {
    const auto missing = given_up->sign(on, all, 0.5);
    EXPECT_TRUE(missing.has_value());
    EXPECT_EQ(given_up->sign(on, all, 0), missing) << "given up for good";
  }
  MPI_Barrier(world());
  const auto another = mpi::board::take(on, 1).front();
  ASSERT_TRUE(another);
  for (int round = 0; round < 100; ++round) ASSERT_FALSE(another->sign(on, all, 0)) << round;
}

/// Ranks of large nodes hear of most others from those in between.
TEST(boards, take_two_stages_where_ranks_are_many) {
  if (world_size() < 3) return;
  const auto on = planner::crew{mpi::communicator(world())}.all;
  if (!on.board()) GTEST_SKIP() << "ranks do not share memory";
  mpi::board small(on, {}, 2);
  small.open(on);
  for (int round = 0; round < 1000; ++round) {
    const auto bit_of = [&](int rank) { return std::uint64_t{1} << ((5 * rank + round) % 63); };
    std::uint64_t expected = 0;
    for (int r = 0; r < world_size(); ++r) expected |= bit_of(r);
    ASSERT_EQ(small.unite(on, bit_of(world_rank())), expected) << round;
  }
}

/// A rank that waits at a board still moves messages that others wait for before they come, also while one of Weft's
/// own lies there that it has not asked for yet.
TEST(boards, let_messages_move) {
  if (world_size() == 1) return;
  const auto on = planner::crew{mpi::communicator(world())}.all;
  constexpr int tag = 50;  // of no channel
  char small = 'b';
  if (world_rank() == 1) MPI_Send(&small, 1, MPI_CHAR, 0, tag, on.get());
  if (world_rank() == 0) MPI_Probe(1, tag, on.get(), MPI_STATUS_IGNORE);
  std::vector<char> large(std::size_t{8} << 20, 'a');
  const auto count = static_cast<int>(large.size());
  MPI_Request sent = MPI_REQUEST_NULL;
  if (world_rank() == 0) MPI_Isend(large.data(), count, MPI_CHAR, 1, 0, world(), &sent);
  if (world_rank() == 1) MPI_Recv(large.data(), count, MPI_CHAR, 0, 0, world(), MPI_STATUS_IGNORE);
  EXPECT_EQ(mpi::united_bits(on, 1), 1);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  if (world_rank() == 0) MPI_Recv(&small, 1, MPI_CHAR, 1, tag, on.get(), MPI_STATUS_IGNORE);
}

/// Several nodes have none in common.
TEST(boards, are_for_ranks_that_share_memory) {
  planner::limits().ranks_per_node = 1;
  const auto apart = planner::crew{mpi::communicator(world())}.all;
  planner::limits().ranks_per_node = 0;
  EXPECT_EQ(apart.board() != nullptr, false);
  EXPECT_EQ(mpi::united_bits(apart, 2), 2);
}

/// Each of several nodes has one, where its ranks meet by the names that all call them.
TEST(boards, are_for_ranks_of_each_node) {
  if (world_size() < 3) return;
  const mpi::communicator all(world());
  const bool first = world_rank() == 0;
  std::vector<int> members{0};
  if (!first) members.assign(static_cast<std::size_t>(world_size() - 1), 1);
  if (!first) std::iota(members.begin(), members.end(), 1);
  const auto on = all.with_near(all.split("the first apart", first ? 0 : 1).with_board(members));
  constexpr double patience = 0.3;
  const auto sheet = mpi::board::take(on, 1).front();
  const int tag = on.fresh_tag();
  ASSERT_EQ(sheet != nullptr, !first);
  if (first) return;
  mpi::meeting meeting(on, members, tag, patience, sheet);
  for (int round = 0; round < 500; ++round) meeting.hold();
  if (world_rank() == 1) return;
  try {
    meeting.hold();
    FAIL() << "rank 1 did not come";
  } catch (const mpi_error& e) {
    EXPECT_NE(std::string(e.what()).find("rank 1, or one that it waits for, did not come"), std::string::npos)
        << e.what();
  }
}

class faults : public ::testing::TestWithParam<std::string> {};

TEST_P(faults, of_one_rank_are_thrown_on_all) {
  if (world_size() == 1) return;
  inject(GetParam(), transform_kind::c2c, false);
  inject(GetParam(), transform_kind::r2c, true);
}

INSTANTIATE_TEST_SUITE_P(engines, faults, ::testing::ValuesIn(exchange_names()),
                         [](const auto& engine) { return engine.param; });

}  // namespace
}  // namespace weft::testing
