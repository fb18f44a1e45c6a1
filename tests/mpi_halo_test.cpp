// SPDX-License-Identifier: BSD-3-Clause
// Ghost cells of boxes on real ranks, against what every rank can work out for itself; boxes that know their own only.
#include <gtest/gtest.h>

#include <map>

#include "mpi_support.hpp"
#include "property.hpp"
#include "weft/error.hpp"
#include "weft/halo.hpp"
#include "weft/plan.hpp"

namespace weft::testing {
namespace {

/// A distribution that gives each rank a box, or nothing.
distribution random_boxes(dice& d, const extents& shape) {
  if (d.once_in(2)) return random_bricks(d, shape, d.small(1, world_size()));
  std::string text = "[";
  const auto axis = d.between(0, static_cast<integer>(shape.size()) - 1);
  for (integer l = 0; l < static_cast<integer>(shape.size()); ++l) text += l == axis ? " b0" : " *";
  return distribution::parse(text + "]", shape, grid({world_size()}));
}

struct drawn {
  extents shape, before, after;
  distribution how;
  integer batch = 1;

  explicit drawn(dice& d) {
    shape = random_shape(d, d.small(1, 4), 300);
    how = random_boxes(d, shape);
    batch = d.once_in(3) ? 2 : 1;
    for (const integer n : shape) {
      const integer most = std::min<integer>(3, shape.size() > 3 ? 1 : d.once_in(4) ? 2 * n + 1 : n);
      before.push_back(d.between(0, most));
      after.push_back(d.between(0, most));
    }
  }
};

/// Calls visit(cell of the array with its ghosts, global index of the element that it stands for, whether it is a
/// ghost).
template <class Visit>
void each_cell(const drawn& t, int rank, const Visit& visit) {
  const extents mine = t.how.local_shape(rank);
  if (volume(mine) == 0) return;
  extents wide = mine, low;
  for (std::size_t l = 0; l < mine.size(); ++l) {
    wide[l] += t.before[l] + t.after[l];
    low.push_back(index_at(t.how.part(rank, static_cast<int>(l)), 0) - t.before[l]);
  }
  for (integer k = 0; k < volume(wide); ++k) {
    extents index(mine.size());
    bool ghost = false;
    integer rest = k;
    for (std::size_t l = mine.size(); l-- > 0; rest /= wide[l]) {
      const integer position = rest % wide[l], n = t.shape[l];
      ghost = ghost || position < t.before[l] || position >= t.before[l] + mine[l];
      index[l] = ((low[l] + position) % n + n) % n;
    }
    visit(k, index, ghost);
  }
}

/// What a cell holds: small whole numbers, so that sums are exact in any order.
double value_of(int rank, integer cell, integer b) { return static_cast<double>((rank * 31 + cell * 7 + b * 3) % 101); }

void check_fill(const drawn& t) {
  halo<double> around(t.how, t.before, t.after, world(), t.batch);
  auto x = around.make();
  const auto number = [&](std::span<const integer> i, integer b) {
    return static_cast<double>(flat_index(extents(i.begin(), i.end()), t.shape) + 1000 * b + 1);
  };
  x.for_each([&](auto i, double& value, integer b) { value = number(i, b); });
  around.fill(x);
  const auto cells = static_cast<integer>(x.block().bytes() / sizeof(double)) / t.batch;
  for (integer b = 0; b < t.batch; ++b) {
    each_cell(t, world_rank(), [&](integer k, const extents& index, bool) {
      ASSERT_EQ(x.data()[b * cells + k], number(index, b)) << "cell " << k << " for " << to_text(index);
    });
  }
}

void check_accumulate(const drawn& t) {
  halo<float> around(t.how, t.before, t.after, world(), t.batch);
  auto x = around.make();
  const auto cells = static_cast<integer>(x.block().bytes() / sizeof(float)) / t.batch;
  std::map<std::pair<extents, integer>, double> sums;  // of all cells that stand for an element, on any rank
  for (integer b = 0; b < t.batch; ++b) {
    each_cell(t, world_rank(), [&](integer k, const extents&, bool) {
      x.data()[b * cells + k] = static_cast<float>(value_of(world_rank(), k, b));
    });
    for (int r = 0; r < world_size(); ++r) {
      each_cell(t, r, [&](integer k, const extents& index, bool) { sums[{index, b}] += value_of(r, k, b); });
    }
  }
  around.accumulate(std::span(x.data(), static_cast<std::size_t>(cells * t.batch)));
  for (integer b = 0; b < t.batch; ++b) {
    each_cell(t, world_rank(), [&](integer k, const extents& index, bool ghost) {
      ASSERT_EQ(x.data()[b * cells + k], ghost ? 0.0F : static_cast<float>(sums[{index, b}])) << to_text(index);
    });
  }
}

TEST(halo, fills_and_accumulates) {
  for (const auto seed : seeds(25, 9100 + static_cast<std::uint64_t>(world_size()))) {
    SCOPED_TRACE(rerun(seed));
    dice d(seed);
    const drawn t(d);
    SCOPED_TRACE(t.how.text() + " ghosts " + to_text(t.before) + " and " + to_text(t.after));
    if (d.once_in(3)) planner::limits().count = d.between(2, 9);
    check_fill(t);
    check_accumulate(t);
    planner::limits() = {};
    if (failed_anywhere()) break;
  }
}

TEST(halo, arrays_go_through_plans) {
  const extents shape = {8, 6, 5}, one = {1, 1, 1};
  const auto how = distribution::parse("[b0 * *]", shape, grid({world_size()}));
  halo<std::complex<double>> around(how, one, one, world());
  options with{.scaling = normalization::backward};
  with.input_layout = around.where();
  problem what{.shape = shape};
  what.in = how;
  c2c<double> plan(what, world(), with);
  auto x = around.make(), y = around.make();
  auto modes = plan.make_output();
  x.for_each([&](auto i, auto& v) { v = static_cast<double>(flat_index(extents(i.begin(), i.end()), shape)); });
  plan.forward(x, modes);
  plan.backward(modes, y);
  around.fill(x);
  around.fill(y);
  for (std::size_t k = 0; k < x.block().bytes() / sizeof(std::complex<double>); ++k) {
    EXPECT_NEAR(std::abs(x.data()[k] - y.data()[k]), 0, 1e-11);
  }
}

TEST(halo, errors_are_those_of_all) {
  const extents shape = {16, 6};
  const auto blocks = distribution::parse("[b0 *]", shape, grid({world_size()}));
  if (world_size() > 1) {
    const auto cyclic = distribution::parse("[c0 *]", shape, grid({world_size()}));
    EXPECT_THROW(halo<double>(cyclic, {1, 1}, {1, 1}, world()), distribution_error);
    EXPECT_THROW(halo<double>(blocks, {1, world_rank() == 0 ? 1 : 2}, {1, 1}, world()), mismatch_error);
  }
  EXPECT_THROW(halo<double>(blocks, {1}, {1, 1}, world()), argument_error);
  EXPECT_THROW(halo<double>(blocks, {1, -1}, {1, 1}, world()), argument_error);
  EXPECT_THROW(halo<double>(blocks, {1, 1}, {1, 1}, world(), 0), argument_error);
  halo<double> around(blocks, {1, 1}, {1, 1}, world());
  auto x = around.make();
  array<double> without(blocks, world_rank());
  EXPECT_THROW(around.fill(without), buffer_error);
  const bool last = world_rank() == 0;  // one rank's memory is too small
  EXPECT_THROW(around.fill(std::span(x.data(), last ? 3 : x.block().bytes() / sizeof(double))), buffer_error);
  around.fill(x);
}

TEST(boxes, of_all_ranks_are_gathered) {
  for (const auto seed : seeds(10, 9300 + static_cast<std::uint64_t>(world_size()))) {
    dice d(seed);
    const extents shape = random_shape(d, d.small(1, 4), 300);
    const auto all = random_bricks(d, shape, world_size());
    const auto found = bricks_of(shape, all.boxes()[static_cast<std::size_t>(world_rank())], world());
    EXPECT_EQ(found, all) << rerun(seed);
  }
  const box everything{{0, 0}, {4, 5}};
  if (world_size() > 1) {
    EXPECT_THROW((void)bricks_of({4, 5}, everything, world()), distribution_error);
  }
  const box flat{{0}, {4}};
  EXPECT_THROW((void)bricks_of({4, 5}, world_rank() == 0 ? flat : everything, world()), argument_error);
}

}  // namespace
}  // namespace weft::testing
