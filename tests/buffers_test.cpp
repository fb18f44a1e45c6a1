// Buffer assignment: exact on hand-made cases, and against trying every assignment on random ones.
#include "schedule/buffers.hpp"

#include <gtest/gtest.h>

#include "brute.hpp"

namespace weft::testing {
namespace {

/// Whether running the steps in this assignment could overwrite something still needed. Written from
/// what the steps do: step i reads array i and writes i+1, and i+2 too if it writes two.
bool clobbers(const buffer_problem& p, const std::vector<area>& where) {
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    if (where[i + 1] == where[i] && !p.steps[i].in_place) return true;
    if (p.steps[i].writes_two && (where[i + 2] == where[i] || where[i + 2] == where[i + 1])) return true;
  }
  return false;
}

/// Whether an intermediate array lies where it may not, or where it does not fit.
bool misplaced(const buffer_problem& p, const std::vector<area>& where) {
  for (std::size_t i = 1; i + 1 < where.size(); ++i) {
    if (where[i] == area::input && (p.same_memory || !p.scratch_input || p.arrays[i].bytes > p.input_bytes)) return true;
    if (where[i] == area::output && (!p.scratch_output || p.arrays[i].bytes > p.output_bytes)) return true;
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

TEST(buffers, one_step_needs_no_workspace) {
  EXPECT_EQ(assign_buffers({{{100}, {0}}, {{false, false}}, false, true, false, 100, 100})->workspace(), 0);
}

TEST(buffers, one_step_over_itself_is_impossible_unless_it_may) {
  EXPECT_FALSE(assign_buffers({{{100}, {0}}, {{false, false}}, true, true, false, 100, 100}).has_value());
  EXPECT_EQ(assign_buffers({{{100}, {0}}, {{true, false}}, true, true, false, 100, 100})->workspace(), 0);
}

/// Packing pass (which keeps what stays), exchange, unpacking pass.
buffer_problem packed_case() {
  return {{{100}, {80}, {100}, {0}}, {{false, true}, {false, false}, {false, false}}, false, true, false, 100, 100};
}

TEST(buffers, packed_exchange_sends_from_the_output) {
  const auto plan = assign_buffers(packed_case());
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->workspace(), 100);
  EXPECT_EQ(plan->arrays[1], area::output);
}

TEST(buffers, a_strided_output_holds_no_images) {
  auto p = packed_case();
  p.scratch_output = false;
  EXPECT_EQ(assign_buffers(p)->workspace(), 180);
}

TEST(buffers, a_destroyed_input_saves_workspace_where_nothing_is_kept) {
  auto p = packed_case();
  p.scratch_input = true;
  EXPECT_EQ(assign_buffers(p)->workspace(), 100) << "the first pass still reads the input while it keeps";
  p.steps[0].writes_two = false;
  EXPECT_EQ(assign_buffers(p)->workspace(), 0);
  p.input_bytes = 99;
  EXPECT_EQ(assign_buffers(p)->workspace(), 100) << "the receive image does not fit there";
}

TEST(buffers, agree_with_trying_everything) {
  dice d(31);
  int possible = 0, impossible = 0;
  for (int draw = 0; draw < 1500; ++draw) {
    buffer_problem p;
    const int steps = d.small(1, 5);
    for (int i = 0; i <= steps; ++i) p.arrays.push_back({d.between(0, 6) * 10});
    for (int i = 0; i < steps; ++i) p.steps.push_back({d.once_in(3), i + 2 <= steps && d.once_in(3)});
    p.same_memory = d.once_in(3);
    p.scratch_output = !d.once_in(4);
    p.scratch_input = d.once_in(2);
    p.input_bytes = p.arrays.front().bytes;
    p.output_bytes = d.between(0, 60);
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
