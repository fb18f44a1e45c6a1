// SPDX-License-Identifier: BSD-3-Clause
// Random problems on real ranks, through the public interface.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

#include "checker.hpp"
#include "device/device.hpp"
#include "mpi_support.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace weft::testing {
namespace {

/// This rank's part of a plan on the world.
class member final : public subject {
 public:
  explicit member(const drawn& t) : t_(t), plan_(std::in_place, t.what, set_limits(t), t.how) {
    if (t.strided) plan_with_layouts();
    if (!t.shared_arrays) return;
    shared_in_ = plan_->allocate(weft::side::input);
    shared_out_ = t.how.in_place ? shared_in_ : plan_->allocate(weft::side::output);
  }

  [[nodiscard]] std::vector<int> ranks() const override { return {world_rank()}; }
  [[nodiscard]] const distribution& input() const override { return plan_->input(); }
  [[nodiscard]] const distribution& output() const override { return plan_->output(); }
  [[nodiscard]] layout_pair layouts(int /*rank*/) const override { return layouts_; }
  [[nodiscard]] double sum(double mine) const override { return sum_of(mine); }
  /// Shared arrays get what the test's own hold, and give it back.
  void run(direction way, const std::vector<const std::byte*>& from, const std::vector<std::byte*>& to) override {
    if (!shared_in_) return run(way, from[0], to[0]);
    const memory in = over(way == direction::forward ? from[0] : to[0], in_bytes()),
                 out = over(way == direction::forward ? to[0] : from[0], out_bytes());
    copy(in, shared_in_, in.bytes());
    copy(out, shared_out_, out.bytes());
    if (way == direction::forward) {
      run(way, shared_in_.data(), shared_out_.data());
    } else {
      run(way, shared_out_.data(), shared_in_.data());
    }
    copy(shared_in_, in, in.bytes());
    copy(shared_out_, out, out.bytes());
  }
  [[nodiscard]] const plan& made() const { return *plan_; }
  [[nodiscard]] bool shares() const { return t_.shared_arrays && plan_->report().arrays == "shared"; }

 private:
  static MPI_Comm set_limits(const drawn& t) {
    planner::limits() = t.limits;
    return world();
  }

  /// Layouts belong to distributions, which the planner may have chosen: look, then plan again.
  void plan_with_layouts() {
    const auto shape = [&](const distribution& d) { return batched(d.local_shape(world_rank()), t_.what.batch); };
    layouts_ = random_layouts(t_, world_rank(), shape(plan_->input()), shape(plan_->output()));
    options how = t_.how;
    how.input_layout = layouts_.in;
    how.output_layout = layouts_.out;
    const distribution in = plan_->input(), out = plan_->output();
    plan_.emplace(t_.what, set_limits(t_), how);
    EXPECT_EQ(plan_->input(), in) << "planning again gives another distribution";
    EXPECT_EQ(plan_->output(), out) << "planning again gives another distribution";
  }

  [[nodiscard]] integer in_bytes() const {
    const auto& p = t_.what;
    const std::size_t each = real_input(p) ? real_bytes(p.element) : complex_bytes(p.element);
    return plan_->input_elements() * static_cast<integer>(each);
  }
  [[nodiscard]] integer out_bytes() const {
    const auto& p = t_.what;
    const std::size_t each = real_output(p) ? real_bytes(p.element) : complex_bytes(p.element);
    return plan_->output_elements() * static_cast<integer>(each);
  }
  /// Memory of the test's, which keeps it.
  static memory over(const std::byte* block, integer bytes) {
    return {{const_cast<std::byte*>(block), [](std::byte*) {}}, static_cast<std::size_t>(bytes)};
  }

  void run(direction way, const std::byte* from, std::byte* to) {
    if (way == direction::forward) {
      plan_->forward(static_cast<const void*>(from), static_cast<void*>(to));
    } else {
      plan_->backward(static_cast<const void*>(from), static_cast<void*>(to));
    }
  }

  const drawn& t_;
  std::optional<plan> plan_;
  layout_pair layouts_;
  memory shared_in_, shared_out_;
};

void expect_as_asked(const drawn& t, const member& m) {
  const int ranks = world_size();
  const auto expect_side = [&](const wanted& w, const distribution& got, const extents& shape, const char* which) {
    EXPECT_EQ(got.shape(), shape) << which;
    if (w.exact()) {
      EXPECT_TRUE(same_ownership(got, *w.exact(), ranks)) << which << " " << got.text();
    } else if (w.text().find('@') != std::string::npos) {
      EXPECT_TRUE(same_ownership(got, distribution::parse(w.text(), shape, grid({1})), ranks))
          << which << " " << got.text();
    } else if (w.text().front() == '[') {
      EXPECT_EQ(got.chains_text(), distribution::parse(w.text(), shape, got.on()).chains_text()) << which;
    }
  };
  expect_side(t.what.in, m.input(), given_shape(t.what), "input");
  expect_side(t.what.out, m.output(), half_shape(t.what), "output");
  if (t.what.out.full_text() == "same") {
    EXPECT_TRUE(same_ownership(m.output(), m.input().with_shape(half_shape(t.what)), ranks));
  }
  const auto pair = m.layouts(0);
  EXPECT_EQ(m.made().input_elements(), make_side(m.input(), world_rank(), pair.in, t.what, true).elements);
  EXPECT_EQ(m.made().output_elements(), make_side(m.output(), world_rank(), pair.out, t.what, false).elements);
  if (t.how.algorithm != "auto") {
    EXPECT_EQ(m.made().report().algorithm, t.how.algorithm);
  }
  if (t.how.exchange != "auto") {
    EXPECT_EQ(m.made().report().exchange, m.made().report().exchanges > 0 ? t.how.exchange : "none");
  }
  EXPECT_FALSE(m.made().report().schedule.empty());
}

void check_draws(topic about) {
  const int ranks = world_size();
  const int draws = about == topic::anything ? 60 : 40;
  const auto all =
      seeds(draws, (static_cast<std::uint64_t>(ranks) << 40U) + (static_cast<std::uint64_t>(about) << 50U));
  const auto names = exchange_names();
  const bool one_node = on_one_node();
  const arena together = arena::growing();
  std::vector<std::byte> given(std::size_t{8} << 20U);
  int ran = 0, skipped = 0, shared_in_place = 0, on_device = 0, led = 0, narrow = 0;
  for (const auto seed : all) {
    drawn t = draw_problem(seed, ranks, 3000, about);
    draw_tolerance(t);
    // Each engine in turn, so that none is left out by chance.
    if (t.how.exchange != "auto") t.how.exchange = names[seed % names.size()];
    if (seed % 10 == 3) {
      t.how.exchange = "window";
      t.shared_arrays = t.how.in_place = true;
      t.limits.ranks_per_node = 0;
      t.strided = t.padded_real = false;
    }
    if (seed % 10 == 8) {  // messages of half the bytes, whatever else was drawn
      t.how.exchange = "alltoallv";
      t.how.algorithm = "auto";
      t.how.local = "weft";
      t.how.message_tolerance = t.what.element == precision::f64 ? 1e-6 : 0.03;
      t.how.idle_ranks = t.shared_arrays = false;
    }
    // A device that the host plays has all that a real one has but for its driver.
    const char* const device = std::getenv("WEFT_DEVICE");  // to test a real one, in every draw
    const bool led_on_purpose = seed % 10 == 6 && one_node;
    if (device != nullptr || seed % 5 == 2 || led_on_purpose) {
      t.how.device = device != nullptr ? device : "emulated";
      t.how.message_tolerance = 0;
      t.how.local = seed % 2 == 0 ? "gpu" : "auto";
      t.how.exchange =
          std::vector<std::string>{"ipc", "staged", "auto", "p2p"}[(seed / 5) % (device != nullptr ? 3 : 4)];
      if (t.how.exchange == "ipc" && !one_node) t.how.exchange = "staged";
      t.limits.ranks_per_node = 0;
      t.shared_arrays = t.shared_arrays || device != nullptr;
      t.limits.own_devices = (seed / 20) % 2 == 0;
      // Where the host plays, short lines are two digits now and then, as long ones are on devices.
      device::limit_emulated_lines(seed % 3 == 0 ? 3 + static_cast<std::int64_t>(seed / 3 % 9)
                                                 : device::usual_emulated_line);
      if (led_on_purpose) {  // one rank runs the passes of all
        t.how.exchange = "ipc";
        t.shared_arrays = true;
        t.strided = t.padded_real = t.limits.own_devices = false;
      }
      ++on_device;
    }
    // Workspace that all such draws share, or that the test owns.
    if (seed % 6 == 1) t.how.workspace = together;
    if (seed % 6 == 4 && t.how.device == "cpu" && t.how.exchange != "window") t.how.workspace = arena::over(given);
    // Whatever wins a race is right; planning twice, as for layouts, may have two winners.
    if (!t.strided && seed % 7 == 5) {
      t.how.planning = effort::measure;
      t.how.planning_seconds = 0.05;
    }
    SCOPED_TRACE(describe(t));
    try {
      member m(t);
      expect_as_asked(t, m);
      checker(t, m).check();
      ++ran;
      const auto& found = m.made().report();
      narrow += found.messages > 0 && found.travels_as != (t.what.element == precision::f64 ? "f64" : "f32") ? 1 : 0;
      led += found.led ? 1 : 0;
      shared_in_place += m.shares() && t.how.in_place ? 1 : 0;
    } catch (const applicability_error& e) {
      ++skipped;
      EXPECT_NE(t.how.algorithm, "auto") << e.what();
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    if (failed_anywhere()) {
      ADD_FAILURE() << rerun(seed) << " on " << ranks << " ranks";
      return;
    }
  }
  if (static_cast<int>(all.size()) < draws) return;  // a rerun, or a build that asks for few draws
  EXPECT_GT(ran, static_cast<int>(all.size()) / 4) << skipped << " skipped: many draws must run";
  if (ranks > 1 && about == topic::anything) {
    EXPECT_GT(shared_in_place, 0) << "shared arrays were never used in place";
    EXPECT_GT(on_device, 0) << "no draw was on a device";
    EXPECT_TRUE(led > 0 || !one_node) << "no rank ran the passes of all";
    EXPECT_LT(led, on_device) << "one rank always ran the passes of all";
    EXPECT_TRUE(std::getenv("WEFT_DEVICE") != nullptr || sum_of(narrow) > 0) << "no message had half the bytes";
  }
}

/// Of ranks that own nothing too, whose vectors have no memory to compare.
bool same_bits(std::span<const std::complex<double>> a, std::span<const std::complex<double>> b) {
  return std::ranges::equal(std::as_bytes(a), std::as_bytes(b));
}

/// The bits of this rank's part of forward and of backward, both of an array that every variant gets.
std::vector<std::complex<double>> results_of(const drawn& t, subject& m) {
  const auto layouts = m.layouts(world_rank());
  const side in = make_side(m.input(), world_rank(), layouts.in, t.what, true);
  const side out = make_side(m.output(), world_rank(), layouts.out, t.what, false);
  std::vector<std::complex<double>> all;
  const auto run = [&](direction way, const side& from, const side& to) {
    const std::size_t larger = std::max(from.total(), to.total());
    std::vector<std::byte> source(larger), target(larger);
    for (std::size_t i = 0; i < from.numbers.size(); ++i) {
      dice d(static_cast<std::uint64_t>(from.numbers[i]));
      const bool zero = t.seed % 3 == 0 && d.once_in(2);
      from.store(source.data(), i, zero ? 0 : complex(d.unit() - 0.5, d.unit() - 0.5));
    }
    auto& result = t.how.in_place ? source : target;
    m.run(way, {source.data()}, {result.data()});
    for (std::size_t i = 0; i < to.numbers.size(); ++i) all.push_back(to.load(result.data(), i));
  };
  run(direction::forward, in, out);
  run(direction::backward, out, in);
  return all;
}

/// What may be tuned without changing bits, as long as the schedule is the same.
void compare_engines(topic about) {
  int compared = 0;
  auto all = seeds(4, static_cast<std::uint64_t>(about) << 20U);
  all.resize(std::min<std::size_t>(all.size(), 4));  // each is a plan per engine
  for (const auto seed : all) {
    const drawn t = draw_problem(seed, world_size(), 3000, about);
    std::string schedule;
    std::vector<std::complex<double>> wanted;
    dice d(seed + 5);
    for (const auto& name : exchange_names()) {
      drawn v = t;
      v.how.local = "weft";
      v.how.exchange = name;
      v.how.threads = d.once_in(5) ? 2 : 1;
      v.how.in_place = d.once_in(3);
      v.how.destroy_input = d.once_in(3);
      v.shared_arrays = name == "window" && d.once_in(2);
      v.limits.ranks_per_node = 0;
      v.strided = !v.shared_arrays && d.once_in(2);
      v.padded_real = false;
      SCOPED_TRACE(describe(v));
      try {
        member m(v);
        const auto got = results_of(v, m);
        if (schedule.empty()) {
          schedule = m.made().report().schedule;
          wanted = got;
        } else if (schedule == m.made().report().schedule) {
          EXPECT_TRUE(same_bits(got, wanted)) << schedule;
          ++compared;
        }
      } catch (const applicability_error&) {
        break;
      } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();
      }
      ASSERT_FALSE(failed_anywhere()) << rerun(seed);
    }
  }
  EXPECT_TRUE(compared > 3 || all.size() < 4) << compared;
}

TEST(bits, depend_on_the_schedule_alone) {
  if (world_size() > 4) return;  // nothing new, and slow where cores are few
  compare_engines(topic::long_lines);
  compare_engines(topic::inside_axes);
}

TEST(properties, hold_for_random_problems) { check_draws(topic::anything); }
TEST(properties, hold_for_transforms_inside_axes) { check_draws(topic::inside_axes); }
TEST(properties, hold_for_tiny_arrays) { check_draws(topic::tiny); }
TEST(properties, hold_for_boxes_that_do_not_line_up) { check_draws(topic::ragged); }
TEST(properties, hold_for_few_modes_of_few_elements) { check_draws(topic::cut); }

/// What is kept may be far smaller than what was sent: it is then not rounded for its messages.
TEST(tolerances, hold_where_modes_are_dropped) {
  constexpr double small = 1e-6;
  for (const bool in_box : {false, true}) {
    problem what{.shape = {24, 24, 24}, .in = "[b0 * *]", .out = "[* b0 *]"};
    if (in_box) {
      what.output_box = {{0, 0, 0}, {8, 8, 8}};
    } else {
      what.modes = {16, 16, 16};
    }
    c2c<double> plan(what, world(), {.exchange = "p2p", .message_tolerance = 1e-6, .scaling = normalization::forward});
    EXPECT_EQ(plan.report().travels_as, "f64");
    auto x = plan.make_input();
    auto modes = plan.make_output();
    x.for_each([&](auto i, auto& value) {
      const auto wave = [](double turns) { return std::polar(1.0, 2 * std::numbers::pi * turns / 24); };
      value = wave(11.0 * double(i[0])) + small * wave(3.0 * double(i[0] + i[1]));
    });
    plan.forward(x, modes);
    modes.for_each([&](auto i, auto& value) {
      const double wanted = i[0] == 3 && i[1] == 3 && i[2] == 0 ? small : 0;
      EXPECT_LT(std::abs(value - wanted), 1e-6 * small) << i[0] << " " << i[1] << " " << i[2];
    });
  }
  // In shared memory nothing is rounded.
  c2c<double> whole({24, 24, 24}, world(), {.exchange = "window", .message_tolerance = 1e-6});
  EXPECT_EQ(whole.report().travels_as, "f64");
  c2c<double> narrow({24, 24, 24}, world(), {.exchange = "p2p", .message_tolerance = 1e-6, .idle_ranks = false});
  EXPECT_EQ(narrow.report().travels_as, world_size() > 1 ? "f32" : "f64");
}

}  // namespace
}  // namespace weft::testing
