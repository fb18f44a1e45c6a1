// SPDX-License-Identifier: BSD-3-Clause
// Buffer assignment: exact on hand-made cases, and against trying every assignment on random ones.
#include "schedule/buffers.hpp"

#include <gtest/gtest.h>

#include "brute.hpp"

namespace weft::testing {
namespace {

/// Whether running the steps in this assignment could overwrite something still needed. Written from
/// what the steps do: step i reads array i and writes i+1, and i+2 too if it writes two: over what it
/// reads only if that stays in its place. A step that stays moves nothing, so its two arrays are one. One that lingers
/// reads on while the next one runs.
bool clobbers(const buffer_problem& p, const std::vector<area>& where) {
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    const auto& s = p.steps[i];
    if (s.stays != (where[i + 1] == where[i]) && (s.stays || !s.in_place)) return true;
    if (s.writes_two && where[i + 2] == where[i] && !s.keeps_place) return true;
    if (s.writes_two && where[i + 2] == where[i + 1]) return true;
    if (!s.lingers || i + 1 == p.steps.size()) continue;
    if (where[i + 2] == where[i]) return true;
    if (p.steps[i + 1].writes_two && where[i + 3] == where[i]) return true;
  }
  return false;
}

/// Whether an intermediate array lies where it may not, or where it does not fit.
bool misplaced(const buffer_problem& p, const std::vector<area>& where) {
  for (std::size_t i = 1; i + 1 < where.size(); ++i) {
    if (p.steps[i - 1].stays) continue;  // it is the array before, which was placed already
    if (where[i] == area::input && (p.same_memory || !p.arrays[i].fits_input)) return true;
    if (where[i] == area::output && !p.arrays[i].fits_output) return true;
  }
  return where.front() != (p.same_memory ? area::output : area::input) || where.back() != area::output;
}

integer workspace_of(const buffer_problem& p, const std::vector<area>& where) {
  integer sum = 0;
  for (int a = static_cast<int>(area::work0); a < area_count; ++a) {
    integer most = 0;
    for (std::size_t i = 0; i < where.size(); ++i) {
      if (where[i] == static_cast<area>(a)) most = std::max(most, p.arrays[i].bytes);
    }
    sum += most;
  }
  return sum;
}

/// The least workspace of all assignments, -1 if none works.
integer least_workspace(const buffer_problem& p) {
  integer least = -1;
  std::vector<area> where(p.arrays.size(), area::output);
  const auto extend = [&](auto&& self, std::size_t i) -> void {
    if (i == where.size()) {
      if (misplaced(p, where) || clobbers(p, where)) return;
      const integer bytes = workspace_of(p, where);
      least = least < 0 ? bytes : std::min(least, bytes);
      return;
    }
    for (int a = 0; a < area_count; ++a) {
      where[i] = static_cast<area>(a);
      self(self, i + 1);
    }
  };
  extend(extend, 0);
  return least;
}

TEST(buffers, one_step_needs_no_workspace) { EXPECT_EQ(assign_buffers({{{100}, {0}}, {{}}, false})->workspace(), 0); }

TEST(buffers, one_step_over_itself_is_impossible_unless_it_may) {
  EXPECT_FALSE(assign_buffers({{{100}, {0}}, {{}}, true}).has_value());
  EXPECT_EQ(assign_buffers({{{100}, {0}}, {{.in_place = true}}, true})->workspace(), 0);
}

/// Packing pass (which keeps what stays), exchange, unpacking pass.
buffer_problem packed_case(bool into_output, bool into_input) {
  return {{{100}, {80, into_input, into_output}, {100, into_input, into_output}, {0}},
          {{.writes_two = true}, {}, {}},
          false};
}

TEST(buffers, packed_exchange_sends_from_the_output) {
  const auto plan = assign_buffers(packed_case(true, false));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->workspace(), 100);
  EXPECT_EQ(plan->arrays[1], area::output);
}

TEST(buffers, a_strided_output_holds_no_images) {
  EXPECT_EQ(assign_buffers(packed_case(false, false))->workspace(), 180);
}

TEST(buffers, a_destroyed_input_saves_workspace_where_nothing_is_kept) {
  auto p = packed_case(true, true);
  EXPECT_EQ(assign_buffers(p)->workspace(), 100) << "the first pass still reads the input while it keeps";
  p.steps[0].writes_two = false;
  EXPECT_EQ(assign_buffers(p)->workspace(), 0);
  p.arrays[2].fits_input = false;
  EXPECT_EQ(assign_buffers(p)->workspace(), 100) << "the receive image does not fit there";
}

TEST(buffers, what_stays_in_its_place_saves_an_array) {
  // Packing pass, exchange, a pass between two exchanges, exchange, unpacking pass.
  buffer_problem p{{{100}, {80, false, true}, {100, false, true}, {80, false, true}, {100, false, true}, {0}},
                   {{.writes_two = true}, {}, {.writes_two = true}, {}, {}},
                   false};
  EXPECT_EQ(assign_buffers(p)->workspace(), 180);
  p.steps[2].keeps_place = true;
  EXPECT_EQ(assign_buffers(p)->workspace(), 100);
}

TEST(buffers, nobody_stores_where_messages_still_leave) {
  // Packing pass, exchange, a pass between two exchanges, exchange, unpacking pass: rings of 20 to receive in.
  buffer_problem p{{{100}, {100, false, true}, {20, false, true}, {100, false, true}, {20, false, true}, {0}},
                   {{}, {}, {}, {}, {}},
                   false};
  EXPECT_EQ(assign_buffers(p)->workspace(), 20);
  p.steps[1].lingers = true;
  EXPECT_EQ(assign_buffers(p)->workspace(), 120) << "both send buffers at once, and one of them in the output";
  p.steps[3].lingers = true;
  EXPECT_EQ(assign_buffers(p)->workspace(), 120) << "the second one may not lie in the output";
  p.steps[2].writes_two = true;
  EXPECT_EQ(assign_buffers(p)->workspace(), 140) << "nor may the second ring lie in the first send buffer";
}

TEST(buffers, the_largest_work_area_comes_first) {
  const auto plan = assign_buffers(packed_case(false, false));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->bytes[static_cast<std::size_t>(area::work0)], 100);
  EXPECT_EQ(plan->bytes[static_cast<std::size_t>(area::work1)], 80);
}

TEST(buffers, a_step_that_stays_shares_its_image) {
  // Store, exchange through shared memory, load: one image of workspace, or none if the output is shared.
  buffer_problem p{{{100}, {100, false, false}, {100, false, false}, {0}}, {{}, {.stays = true}, {}}, false};
  const auto plan = assign_buffers(p);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->arrays[1], plan->arrays[2]);
  EXPECT_EQ(plan->workspace(), 100);
  p.arrays[1].fits_output = true;
  p.steps[2].in_place = true;
  EXPECT_EQ(assign_buffers(p)->workspace(), 0);
}

TEST(buffers, agree_with_trying_everything) {
  dice d(31);
  int possible = 0, impossible = 0;
  for (int draw = 0; draw < 1500; ++draw) {
    buffer_problem p;
    const int steps = d.small(1, 5);
    for (int i = 0; i <= steps; ++i) p.arrays.push_back({d.between(0, 6) * 10, d.once_in(3), d.once_in(2)});
    for (int i = 0; i < steps; ++i) p.steps.push_back({d.once_in(3), false, d.once_in(5)});
    // What stays on the rank is written ahead only where the next step moves the rest.
    for (std::size_t i = 0; i + 1 < p.steps.size(); ++i) {
      p.steps[i].writes_two = !p.steps[i].stays && !p.steps[i + 1].stays && d.once_in(3);
      p.steps[i].keeps_place = d.once_in(3);
      // An exchange that lingers has two images, and a pass for its consumer.
      p.steps[i].lingers = !p.steps[i].stays && !p.steps[i].in_place && !p.steps[i + 1].stays && d.once_in(4);
    }
    p.same_memory = d.once_in(3);
    p.arrays.back().bytes = 0;
    const integer least = least_workspace(p);
    const auto plan = assign_buffers(p);
    ASSERT_EQ(plan.has_value(), least >= 0) << "draw " << draw;
    (least >= 0 ? possible : impossible) += 1;
    if (!plan) continue;
    ASSERT_EQ(plan->workspace(), least) << "draw " << draw;
    ASSERT_FALSE(clobbers(p, plan->arrays)) << "draw " << draw;
    ASSERT_FALSE(misplaced(p, plan->arrays)) << "draw " << draw;
    ASSERT_EQ(workspace_of(p, plan->arrays), least) << "draw " << draw;
    for (std::size_t i = 0; i < plan->arrays.size(); ++i) {
      const auto a = plan->arrays[i];
      if (a == area::input || a == area::output) continue;
      ASSERT_GE(plan->bytes[static_cast<std::size_t>(a)], p.arrays[i].bytes);
    }
  }
  EXPECT_GT(possible, 1000);
  EXPECT_GT(impossible, 10);
}

}  // namespace
}  // namespace weft::testing
