// SPDX-License-Identifier: BSD-3-Clause
// How much workspace plans need, in local arrays: a promise, for every engine.
#include <gtest/gtest.h>

#include "algorithm/algorithm.hpp"
#include "bound.hpp"
#include "exchange/engine.hpp"
#include "mpi/shared_memory.hpp"
#include "mpi_bound.hpp"
#include "mpi_support.hpp"
#include "planner/crew.hpp"
#include "planner/resolve.hpp"

namespace weft::testing {
namespace {

struct example {
  extents shape;
  transform_kind kind;
  bool pencil;
  std::string out;
  bool in_place, destroy_input, shared_arrays;
};

/// Of any rank, at any point of the schedule.
integer largest_array(const schedule& s, int ranks) {
  integer most = 0;
  for (const auto& here : stations_of(s)) {
    for (int r = 0; r < ranks; ++r) {
      const std::size_t bytes = bytes_of(here.element, precision::f64);
      most = std::max(most, volume(here.at.local_shape(r)) * static_cast<integer>(bytes));
    }
  }
  return most;
}

/// Work areas, scratch apart, in local arrays: as planned by default, and as little as can be.
struct needed {
  double usual = 0, least = 0;
};

needed workspace_of(const example& e, const exchange::engine& engine, const mpi::communicator& on) {
  drawn t;
  t.ranks = on.size();
  t.seed = 1;
  t.what.shape = e.shape;
  t.what.kind = e.kind;
  t.what.out = e.out;
  if (e.pencil) {
    t.what.in = "[b0 b1 *]";
    t.how.grid = "2x2";
  }
  t.how.in_place = e.in_place;
  t.how.destroy_input = e.destroy_input;
  const auto candidates = algorithm::propose(planner::resolve(t.what, t.how, t.ranks), e.pencil ? "pencil" : "slab");
  const schedule& made =
      std::ranges::min_element(candidates, {}, [](const auto& c) { return exchanges_of(c.schedule); })->schedule;
  auto b = binding_of(t, on.rank(), {});
  b.exchanges.assign(at(exchanges_of(made)), &engine);
  const planner::crew all(on);
  b.nodes = all.nodes;
  b.shared_arrays = e.shared_arrays && engine.shares;
  b.count_limit = 64;  // so that engines that cut messages do
  const auto arrays = [&](integer limit) {
    b.memory_limit = limit;
    auto memory = std::make_shared<run::workspace>(engine.shares ? all.shared : nullptr);
    const auto both = bound_on(on, made, binding_pair(t, b), memory);
    return static_cast<double>(both.memory->size().area_bytes()) / static_cast<double>(largest_array(made, on.size()));
  };
  return {arrays(0), bound_tightly(arrays)};
}

std::vector<example> examples(const extents& shape, int ranks) {
  std::vector<example> all;
  for (const auto kind : {transform_kind::c2c, transform_kind::r2c}) {
    for (const bool pencil : {false, true}) {
      if (ranks != 4 && pencil) continue;
      for (const char* out : {"any", "same"}) {
        for (const int memory : {0, 1, 2}) {
          for (const bool shared : {false, true})
            all.push_back({shape, kind, pencil, out, memory == 1, memory == 2, shared});
        }
      }
    }
  }
  return all;
}

/// What the default may need. Pencils that come back to their input do so in a ring of three exchanges; in shared
/// memory these have one home.
double usual_bound(const example& e, const exchange::engine& engine) {
  const bool real = e.kind == transform_kind::r2c, ring = e.pencil && e.out == "same";
  if (engine.shares) return 1;
  // A real output is a little too small for the complex array that it is made from.
  if (engine.plain) return real && (ring || !(e.in_place || e.destroy_input)) ? 2 : 1;
  // Slots of equal size.
  if (engine.name == "alltoall") return ring ? 4 : e.in_place || real ? 2 : 1;
  // A ring of three parts comes on top, each of which is a row of 12 or more. A real output is too small for a send
  // buffer that holds what stays as well.
  if (engine.lingers) return 1 + 3. / 12 + (real && !(e.in_place || e.destroy_input) ? 1. / 2 : 0);
  // Neither image may lie in the array while a pass reads or writes it there.
  if (e.in_place) return 2;
  // A real output is too small for a send buffer that holds what stays as well. What stays can be left in its
  // place where a slab comes back to its input, but parts of messages hide that.
  return real && (e.pencil || (engine.cuts && e.out == "same")) ? 2 : 1;
}

/// What is left to need when a copy at the end is allowed for it.
double least_bound(const example& e, const exchange::engine& engine) {
  return e.in_place && !(e.pencil && e.out == "same") && !engine.lingers ? 1 : usual_bound(e, engine);
}

void expect_bounds(const example& e, const exchange::engine& engine, const mpi::communicator& on) {
  const auto found = workspace_of(e, engine, on);
  const std::string name = std::string(engine.name) + (e.kind == transform_kind::r2c ? " r2c" : " c2c") +
                           (e.pencil ? " pencil " : " slab ") + e.out + (e.in_place ? " in_place" : "") +
                           (e.destroy_input ? " destroy_input" : "") + (e.shared_arrays ? " shared_arrays" : "");
  constexpr double rounding = 1e-3;
  EXPECT_LE(found.usual, usual_bound(e, engine) + rounding) << name;
  EXPECT_LE(found.least, least_bound(e, engine) + rounding) << name;
  EXPECT_LE(found.least, found.usual + rounding) << name;
}

TEST(workspace, is_about_one_array) {
  const mpi::communicator on(world());
  // The 8 modes divide evenly, too.
  for (const auto& e : examples({96, 96, 14}, on.size())) {
    for (const auto* engine : exchange::engines()) expect_bounds(e, *engine, on);
  }
}

TEST(workspace, is_one_array_in_shared_memory_however_ranks_divide_it) {
  const mpi::communicator on(world());
  for (const auto& e : examples({13, 10, 7}, on.size())) {
    for (const auto* engine : exchange::engines()) {
      if (engine->shares) expect_bounds(e, *engine, on);
    }
  }
}

/// A ring of exchanges that share a home works in the arrays themselves, where peers see them.
TEST(workspace, is_none_for_a_ring_inside_shared_arrays) {
  const mpi::communicator on(world());
  if (on.size() != 4) return;
  for (const bool in_place : {false, true}) {
    const example e{{48, 48, 46}, transform_kind::c2c, true, "same", in_place, false, true};
    EXPECT_EQ(workspace_of(e, exchange::engine_named("window"), on).usual, 0) << in_place;
  }
}

}  // namespace
}  // namespace weft::testing
