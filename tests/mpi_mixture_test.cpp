// SPDX-License-Identifier: BSD-3-Clause
// Random problems whose exchanges each have an engine of their own, on real ranks.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "algorithm/algorithm.hpp"
#include "bound.hpp"
#include "checker.hpp"
#include "exchange/engine.hpp"
#include "mpi/shared_memory.hpp"
#include "mpi_bound.hpp"
#include "mpi_support.hpp"
#include "planner/crew.hpp"
#include "planner/resolve.hpp"
#include "weft/error.hpp"

namespace weft::testing {
namespace {

using engine_list = std::vector<const exchange::engine*>;

bool any_shared(const engine_list& engines) {
  return std::ranges::any_of(engines, [](const exchange::engine* e) { return e->shares; });
}

/// This rank's part of a schedule on the world.
class mixture final : public subject {
 public:
  /// With `room`, so many bytes in every work area, exchanges need not save memory.
  mixture(const drawn& t, const schedule& made, const engine_list& engines, const mpi::communicator& on,
          integer room = 0)
      : t_(t),
        input_(planner::without_batch(made.input, planner::stacking_of(t.what))),
        output_(planner::without_batch(output_of(made), planner::stacking_of(t.what))) {
    planner::limits() = t.limits;
    const planner::crew all(on);
    auto b = binding_of(t, on.rank(), layouts(on.rank()));
    b.exchanges = engines;
    b.nodes = all.nodes;
    const bool shares = any_shared(engines);
    b.shared_arrays = shares && t.shared_arrays && !t.strided && all.nodes->single();
    const auto attempt = [&](integer limit) {
      auto memory = std::make_shared<run::workspace>(shares ? all.shared : nullptr);
      run::memory_needs enough;
      std::fill(enough.areas.begin() + static_cast<int>(area::work0), enough.areas.end(), room);
      memory->require(enough);
      b.memory_limit = limit;
      return bound_on(on, made, binding_pair(t, b), memory);
    };
    programs_ = is_tight(t) ? bound_tightly(attempt) : attempt(0);
    if (b.shared_arrays) make_arrays(all.node);
  }

  [[nodiscard]] std::vector<int> ranks() const override { return {world_rank()}; }
  [[nodiscard]] const distribution& input() const override { return input_; }
  [[nodiscard]] const distribution& output() const override { return output_; }
  [[nodiscard]] layout_pair layouts(int rank) const override {
    return random_layouts(t_, rank, batched(input_.local_shape(rank), t_.what.batch),
                          batched(output_.local_shape(rank), t_.what.batch));
  }
  [[nodiscard]] double sum(double mine) const override { return sum_of(mine); }
  [[nodiscard]] bool shares() const { return !arrays_.empty(); }
  /// Whether an exchange is prepared, forward, before the one before it is finished.
  [[nodiscard]] bool overlaps() const {
    using kind = run::step::kind;
    int unfinished = 0;
    const auto& program = programs_->forward->what();
    for (const auto& s : program.steps) {
      unfinished += s.what == kind::start ? 1 : s.what == kind::finish ? -1 : 0;
      if (s.what != kind::prepare || unfinished == 0) continue;
      if (program.exchanges[at(s.source.exchange)]->how.before == exchange::preparation::posting) return true;
    }
    return false;
  }

  /// Shared arrays get what the test's own hold, and give it back.
  void run(direction way, const std::vector<const std::byte*>& from, const std::vector<std::byte*>& to) override {
    const bool forward = way == direction::forward;
    auto& program = forward ? *programs_->forward : *programs_->backward;
    auto* const source = const_cast<std::byte*>(from[0]);
    if (!shares()) return program.run({source, {}}, {to[0], {}});
    const auto& in = arrays_.front();
    const auto& out = arrays_.back();
    const auto& read = forward ? in : out;
    const auto& written = forward ? out : in;
    copy(source, read.memory.mine(), read.bytes);
    copy(to[0], written.memory.mine(), written.bytes);
    program.run(read.image(), written.image());
    copy(read.memory.mine(), source, read.bytes);
    copy(written.memory.mine(), to[0], written.bytes);
  }

 private:
  struct array {
    array(const mpi::communicator& node, integer size) : memory(node, size), bytes(size) {}
    [[nodiscard]] exchange::image image() const { return {memory.mine(), memory.peers()}; }
    mpi::shared_memory memory;
    integer bytes;
  };

  void make_arrays(const mpi::communicator& node) {
    const auto bytes = [&](const distribution& d, bool input) {
      return static_cast<integer>(make_side(d, world_rank(), {}, t_.what, input).total());
    };
    const integer in = bytes(input_, true), out = bytes(output_, false);
    // In place, one array serves both sides.
    arrays_.emplace_back(node, t_.how.in_place ? std::max(in, out) : in);
    if (!t_.how.in_place) arrays_.emplace_back(node, out);
  }
  static void copy(const std::byte* from, std::byte* to, integer bytes) {
    if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }

  const drawn& t_;
  distribution input_, output_;
  std::optional<bound> programs_;
  std::vector<array> arrays_;
};

/// A schedule for the draw, one with several exchanges if there is any; none if no algorithm applies.
std::optional<schedule> random_schedule(dice& d, const drawn& t) {
  std::vector<algorithm::candidate> found;
  try {
    found = algorithm::propose(planner::resolve(t.what, t.how, t.ranks), t.how.algorithm);
  } catch (const applicability_error&) {
    return std::nullopt;
  }
  std::vector<schedule> all, several;
  for (const auto& c : found) (exchanges_of(c.schedule) > 1 ? several : all).push_back(c.schedule);
  return d.pick(several.empty() ? all : several);
}

engine_list random_engines(dice& d, int exchanges) {
  const std::vector<const exchange::engine*> names(exchange::engines().begin(), exchange::engines().end());
  const auto* const window = &exchange::engine_named(d.once_in(3) ? "nodewise" : "window");
  // Shared memory meets the others in many draws, rather than in a few, and is alone in some: exchanges that follow
  // each other may then have one home.
  if (d.once_in(4)) return engine_list(at(exchanges), window);
  // So do messages that linger.
  const auto* const often = d.once_in(2) ? window : &exchange::engine_named("streamed");
  engine_list all;
  for (int i = 0; i < exchanges; ++i) all.push_back(d.once_in(3) ? often : d.pick(names));
  return all;
}

/// Parts of messages that linger are still posted when messages that start early wait for theirs: among two of each,
/// none may meet the other's.
TEST(mixtures, keep_the_messages_of_neighbours_apart) {
  const mpi::communicator on(world());
  drawn t;
  t.ranks = on.size();
  t.seed = 2;
  t.what.shape = {8, 128, 4};
  t.what.in = "[b0 * *]";
  t.what.out = "same";
  t.limits.count = 4;  // so that there are many parts
  const auto made = algorithm::propose(planner::resolve(t.what, t.how, t.ranks), "slab").front().schedule;
  ASSERT_EQ(exchanges_of(made), 2);
  const auto *const lingers = &exchange::engine_named("streamed"), *const early = &exchange::engine_named("pipelined");
  for (const auto& engines : {engine_list{lingers, early}, engine_list{early, lingers}, engine_list(2, lingers)}) {
    mixture m(t, made, engines, on, integer{1} << 20);
    EXPECT_EQ(m.overlaps(), engines.back() == early);
    checker(t, m).check();
    ASSERT_FALSE(failed_anywhere());
  }
}

/// Of many exchanges not all variants are tried, and the first of these alone would need more areas than there are.
TEST(mixtures, always_find_buffers) {
  const mpi::communicator on(world());
  drawn t;
  t.ranks = on.size();
  t.seed = 3;
  t.strided = true;  // so that no image lies in the output
  t.what.shape = {8, 8, 64};
  t.what.in = t.what.out = "[b0 * *]";
  t.limits.count = 4;
  const std::string on_all = "@" + std::to_string(on.size());
  const std::string there = " | R[* b0 *]" + on_all, back = " | R[b0 * *]" + on_all;
  const auto made = parse_schedule("forward 8x8x64: [b0 * *]" + on_all + " | T(1)" + there + " | T(0)" + back +
                                   " | T(2)" + there + back);
  const auto *const lingers = &exchange::engine_named("streamed"), *const early = &exchange::engine_named("pipelined");
  mixture m(t, made, {lingers, early, lingers, lingers}, on);
  checker(t, m).check();
}

/// Two runs of one program, step by step in turn: each has messages and work areas of its own.
TEST(executions, of_one_program_may_be_under_way_at_once) {
  const mpi::communicator on(world());
  drawn t;
  t.ranks = on.size();
  t.seed = 5;
  t.what.shape = {4 * on.size(), 6 * on.size(), 7};
  t.what.in = "[b0 * *]";
  t.what.out = "same";
  t.limits.count = 8;  // so that messages are cut
  planner::limits() = t.limits;
  const planner::crew all(on);
  const auto made = algorithm::propose(planner::resolve(t.what, t.how, t.ranks), "slab").front().schedule;
  for (const auto* engine : exchange::engines()) {
    auto b = binding_of(t, on.rank(), {});
    b.exchanges.assign(at(exchanges_of(made)), engine);
    b.nodes = all.nodes;
    const auto program = run::bind(made, b, {}, on);
    struct running {
      std::unique_ptr<run::execution> by;
      std::vector<complex> in, out, alone;
    };
    std::vector<running> both(2);
    const auto image = [](std::vector<complex>& v) {
      return exchange::image{reinterpret_cast<std::byte*>(v.data()), {}};
    };
    for (std::size_t k = 0; k < both.size(); ++k) {
      auto& r = both[k];
      r.by = run::open(program, std::make_shared<run::workspace>(engine->shares ? all.shared : nullptr), on);
      dice d(17 * k + static_cast<std::uint64_t>(on.rank()));
      r.in.resize(at(made.input.local_size(on.rank())));
      for (auto& v : r.in) v = {d.unit(), d.unit()};
      r.alone.resize(r.in.size());
      r.out.resize(r.in.size());
      r.by->run(image(r.in), image(r.alone));
    }
    for (std::size_t step = 0; step < program->steps.size(); ++step) {
      for (auto& r : both) r.by->run_step(step, image(r.in), image(r.out));
    }
    for (const auto& r : both) EXPECT_EQ(r.out, r.alone) << engine->name;
    ASSERT_FALSE(failed_anywhere());
  }
  planner::limits() = {};
}

TEST(mixtures, hold_for_random_problems) {
  const mpi::communicator on(world());
  const int draws = 160;
  const auto all = seeds(draws, static_cast<std::uint64_t>(on.size()) << 45U);
  int mixed = 0, shared_arrays = 0, rings = 0;
  for (const auto seed : all) {
    const topic about = seed % 4 == 0 ? topic::inside_axes : seed % 8 == 1 ? topic::cut : topic::anything;
    drawn t = draw_problem(seed, on.size(), 3000, about);
    draw_tolerance(t);
    SCOPED_TRACE(describe(t));
    dice d(seed + 33);
    try {
      const auto made = random_schedule(d, t);
      if (!made) continue;
      const auto engines = random_engines(d, exchanges_of(*made));
      std::string trace = to_text(*made) + " with";
      for (const auto* e : engines) trace += " " + std::string(e->name);
      SCOPED_TRACE(trace);
      mixture m(t, *made, engines, on);
      checker(t, m).check();
      mixed += std::set(engines.begin(), engines.end()).size() > 1 ? 1 : 0;
      shared_arrays += m.shares() ? 1 : 0;
      rings += engines.size() > 2 && std::ranges::all_of(engines, &exchange::engine::shares) ? 1 : 0;
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    if (failed_anywhere()) {
      ADD_FAILURE() << rerun(seed) << " on " << on.size() << " ranks";
      return;
    }
  }
  if (static_cast<int>(all.size()) < draws) return;  // a rerun, or a build that asks for few draws
  EXPECT_GT(mixed, draws / 6) << "many draws must have different engines";
  EXPECT_GT(shared_arrays, 0) << "shared arrays were never used";
  EXPECT_TRUE(rings > 0 || on.size() < 4) << "shared memory was never used three times in a row";
}

}  // namespace
}  // namespace weft::testing
