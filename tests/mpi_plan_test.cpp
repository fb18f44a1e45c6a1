// SPDX-License-Identifier: BSD-3-Clause
// Plans as users have them: short programs, many plans, many communicators, threads, accuracy.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "brute.hpp"
#include "counters.hpp"
#include "mpi_support.hpp"
#include "property.hpp"
#include "weft/weft.hpp"

namespace weft::testing {
namespace {

using complex = std::complex<double>;

/// exp(2 pi i k.j / n): its transform is N at k and zero elsewhere.
template <class Real>
std::complex<Real> wave(std::span<const integer> j, const extents& shape, const extents& k) {
  double turns = 0;
  for (std::size_t l = 0; l < shape.size(); ++l) {
    turns += static_cast<double>(j[l] * k[l] % shape[l]) / static_cast<double>(shape[l]);
  }
  return std::complex<Real>(std::polar(1.0, 2 * 3.14159265358979323846 * turns));
}

/// Relative L2 error of the transform of a wave, and of coming back.
template <class Real>
double wave_error(c2c<Real>& p, MPI_Comm on) {
  const extents shape = p.what().shape;
  extents k;
  double n = 1;
  for (const integer extent : shape) {
    k.push_back(extent * 2 / 3);
    n *= static_cast<double>(extent);
  }
  auto x = p.make_input(), back = p.make_input();
  auto y = p.make_output();
  x.for_each([&](std::span<const integer> j, std::complex<Real>& v) { v = wave<Real>(j, shape, k); });
  p.forward(x, y);
  double forward = 0;
  y.for_each([&](std::span<const integer> j, const std::complex<Real>& v) {
    const bool peak = std::equal(j.begin(), j.end(), k.begin());
    forward += std::norm(std::complex<double>(v) - (peak ? n : 0.0));
  });
  p.backward(y, back);
  double round = 0;
  for (integer i = 0; i < x.size(); ++i) round += std::norm(complex(back[i]) / n - complex(x[i]));
  return std::sqrt(std::max(sum_of(forward, on) / (n * n), sum_of(round, on) / n));
}

template <class Real>
double bound_for(const extents& shape) {
  const double unit = std::is_same_v<Real, double> ? 1e-15 : 5e-7;
  return 10 * unit * std::max(1.0, std::log2(static_cast<double>(volume(shape))));
}

TEST(plans, three_lines) {
  c2c<double> p({16, 12, 10}, world());
  auto x = p.make_input();
  auto y = p.make_output();
  EXPECT_NO_THROW(p.forward(x, y));
  EXPECT_LT(wave_error(p, world()), bound_for<double>({16, 12, 10}));
  EXPECT_EQ(p.what().shape, (extents{16, 12, 10}));
  EXPECT_FALSE(p.report().schedule.empty());
}

TEST(plans, are_accurate_with_every_local_engine) {
  for (const auto& engine : local_names()) {
    for (const extents& shape : {extents{64, 48, 40}, extents{31, 37, 29}, extents{1024, 9}, extents{4, 6, 5, 7, 3}}) {
      c2c<double> wide(shape, world(), {.local = engine});
      EXPECT_LT(wave_error(wide, world()), bound_for<double>(shape)) << engine << " " << to_text(shape);
      c2c<float> narrow(shape, world(), {.local = engine});
      EXPECT_LT(wave_error(narrow, world()), bound_for<float>(shape)) << engine << " " << to_text(shape);
    }
  }
}

TEST(plans, arrays_know_their_global_indices) {
  const extents shape{7, 2 * world_size(), 5};
  for (const char* text : {"[b0 * *]", "[* c0/2 *]", "[* z0 *]", "brick"}) {
    c2c<double> p({.shape = shape, .in = text}, world());
    auto x = p.make_input();
    const auto lists = owned_by(p.input(), world_rank());
    for (int l = 0; l < 3; ++l) EXPECT_EQ(x.indices(l), lists[at(l)]) << text;
    extents seen;
    x.for_each([&](std::span<const integer> i, complex&) { seen.push_back(flat_index({i.begin(), i.end()}, shape)); });
    EXPECT_EQ(seen, global_numbers(p.input(), world_rank())) << text;
    EXPECT_EQ(sum_of(static_cast<double>(x.size())), 70.0 * world_size()) << text;
  }
}

// Both ways of saying what to transform, and nothing but the plan's types to transform.
TEST(plans, are_made_from_shapes_and_problems) {
  const extents shape{6, 5, 4};
  const integer n = 6;
  c2c<double> listed({6, 5, 4}, world()), named({.shape = {6, 5, 4}}, world());
  c2c<double> from_vector(shape, world()), from_variables({n, 5, 4}, world());
  r2c<float> one_axis({24}, world()), with_options({.shape = shape, .batch = 2}, world(), {.threads = 1});
  for (const plan* p : {static_cast<plan*>(&listed), static_cast<plan*>(&named), static_cast<plan*>(&from_vector),
                        static_cast<plan*>(&from_variables), static_cast<plan*>(&with_options)}) {
    EXPECT_EQ(p->what().shape, shape);
  }
  EXPECT_EQ(one_axis.what().shape, extents{24});
}

template <class Plan, class In, class Out>
concept transforms = requires(Plan& p, In in, Out out) {
  p.forward(in, out);
};

static_assert(transforms<c2c<double>, const complex*, complex*>);
static_assert(transforms<c2c<double>, std::vector<complex>&, std::vector<complex>&>);
static_assert(transforms<r2c<float>, float*, std::complex<float>*>);
static_assert(transforms<r2c<float>, array<float>&, array<std::complex<float>>&>);
static_assert(!transforms<c2c<double>, float*, complex*>);
static_assert(!transforms<c2c<double>, const void*, void*>);
static_assert(!transforms<c2c<double>, double*, double*>);
static_assert(!transforms<c2c<double>, std::vector<std::complex<float>>&, std::vector<complex>&>);
static_assert(!transforms<c2c<double>, std::span<const std::byte>, std::span<std::byte>>);
static_assert(!transforms<r2c<float>, array<double>&, array<std::complex<float>>&>);

TEST(plans, make_arrays_with_the_layouts_that_they_need) {
  const extents shape{12, 10, 8};
  const auto from = distribution::parse("[b0 * *]", shape, grid({world_size()}));
  const auto to = distribution::parse("[* b0 *]", shape, grid({world_size()}));
  for (const integer batch : {1, 2, 3}) {
    problem what{.shape = shape, .batch = batch, .interleaved = batch == 3, .in = from, .out = to};
    options how;
    how.input_layout = ghosted(from.local_shape(world_rank()), {1, 2, 0}, {0, 1, 3});
    how.output_layout = ghosted(to.local_shape(world_rank()), {0, 1, 1}, {2, 0, 1});
    c2c<double> p(what, world(), how), compact(what, world());
    auto x = p.make_input(), y = p.make_output();
    EXPECT_EQ(static_cast<integer>(x.span().size()), p.input_elements());
    EXPECT_EQ(static_cast<integer>(y.span().size()), p.output_elements());
    EXPECT_EQ(x.local_layout(), p.input_layout());
    EXPECT_EQ(x.size(), batch * from.local_size(world_rank()));
    if (x.size() > 0 && batch == 3) {
      EXPECT_EQ(&x.view(2)(0, 0, 0) - &x.view(0)(0, 0, 0), 2) << "components side by side";
    }
    auto expected_in = compact.make_input(), expected = compact.make_output();
    const auto value = [](std::span<const integer> i, integer b) {
      return complex(double(i[0] * 7 + i[1]), double(i[2] % 5 + b));
    };
    for (auto& v : x.span()) v = 77.0;
    for (auto& v : y.span()) v = 77.0;
    x.for_each([&](std::span<const integer> i, complex& v, integer b) { v = value(i, b); });
    expected_in.for_each([&](std::span<const integer> i, complex& v, integer b) { v = value(i, b); });
    p.forward(x, y);
    compact.forward(expected_in, expected);
    for (integer k = 0; k < y.size(); ++k) EXPECT_EQ(y[k], expected[k]) << k;
    integer kept = 0;
    for (const auto& v : y.span()) kept += v == 77.0 ? 1 : 0;
    EXPECT_EQ(kept, static_cast<integer>(y.span().size()) - y.size()) << "cells between the elements stay as they were";
    EXPECT_THROW(compact.forward(x, expected), buffer_error) << "an array of another layout";
    EXPECT_THROW(p.forward(expected_in, y), buffer_error) << "an array of another layout";
  }
}

TEST(plans, in_place_arrays_have_room_for_both_sides) {
  const auto value = [](std::span<const integer> i) { return double(i[0] * 7 + i[1] * 3 + i[2] % 5); };
  for (const char* engine : {"alltoallv", "window"}) {
    // The output of so few real elements is larger than the input.
    const problem what{.shape = {6, 5, 4}, .in = "[b0 * *]", .out = "[* b0 *]"};
    r2c<double> p(what, world(), {.exchange = engine, .in_place = true}), apart(what, world());
    auto x = p.make_input();
    auto y = p.make_output(x);
    EXPECT_EQ(static_cast<void*>(x.data()), static_cast<void*>(y.data()));
    EXPECT_GE(x.block().bytes(), static_cast<std::size_t>(p.input_elements()) * sizeof(double));
    EXPECT_GE(x.block().bytes(), static_cast<std::size_t>(p.output_elements()) * sizeof(complex));
    x.for_each([&](std::span<const integer> i, double& v) { v = value(i); });
    auto from = apart.make_input();
    auto to = apart.make_output();
    from.for_each([&](std::span<const integer> i, double& v) { v = value(i); });
    p.forward(x, y);
    apart.forward(from, to);
    for (integer k = 0; k < y.size(); ++k) EXPECT_LT(std::abs(y[k] - to[k]), 1e-12);
    p.backward(y, x);
    x.for_each([&](std::span<const integer> i, double& v) { EXPECT_LT(std::abs(v / 120 - value(i)), 1e-12); });
    // The other way about, and by hand.
    auto modes = p.make_output();
    EXPECT_EQ(static_cast<void*>(p.make_input(modes).data()), static_cast<void*>(modes.data()));
    EXPECT_EQ(p.allocate(side::input).bytes(), p.allocate(side::output).bytes());
  }
}

TEST(plans, arrays_are_redistributed) {
  c2c<double> p({.shape = {12, 10, 8}, .in = "[b0 * *]", .out = "[* c0 *]"}, world());
  auto from = p.make_input();
  auto to = p.make_output();
  from.for_each([](std::span<const integer> i, complex& v) { v = {double(i[0] * 100 + i[1]), double(i[2])}; });
  redistribution move(p.input(), p.output(), sizeof(complex), world());
  move(std::as_bytes(from.span()), std::as_writable_bytes(to.span()));
  int wrong = 0;
  to.for_each([&](std::span<const integer> i, complex& v) {
    wrong += v != complex{double(i[0] * 100 + i[1]), double(i[2])};
  });
  EXPECT_EQ(wrong, 0);
}

TEST(plans, can_be_moved_and_report_what_they_do) {
  c2c<double> first({.shape = {12, 10, 8}, .in = "[b0 * *]", .out = "[* b0 *]"}, world(), {.exchange = "alltoallv"});
  c2c<double> p = std::move(first);
  EXPECT_LT(wave_error(p, world()), bound_for<double>({12, 10, 8}));
  EXPECT_EQ(p.report().exchanges, world_size() == 1 ? 0 : 1);
  EXPECT_EQ(p.report().messages > 0, world_size() > 1);
  EXPECT_EQ(p.report().bytes > 0, world_size() > 1);
  EXPECT_EQ(sum_of(static_cast<double>(p.input_elements())), 960.0);
  EXPECT_FALSE(p.stage_times().empty());
  for (const auto& t : p.stage_times()) EXPECT_GE(t.seconds, 0) << t.stage;
  p.reset_stage_times();
  for (const auto& t : p.stage_times()) EXPECT_EQ(t.seconds, 0) << t.stage;
  EXPECT_FALSE(version().empty());
  EXPECT_FALSE(mpi_version().empty());
}

TEST(plans, record_what_they_did_when) {
  for (const auto& engine : exchange_names()) {
    r2c<double> p({.shape = {12, 10, 9}, .in = "[b0 * *]", .out = "[* c0 *]"}, world(), {.exchange = engine});
    auto x = p.make_input();
    auto y = p.make_output();
    p.forward(x, y);
    EXPECT_TRUE(p.timeline().empty()) << engine;
    const auto start = std::chrono::steady_clock::now();
    p.record_timeline(true);
    p.forward(x, y);
    p.backward(y, x);
    p.forward(x, y);
    p.record_timeline(false);
    const auto entries = p.timeline();
    const auto stages = p.stage_times();
    p.forward(x, y);
    EXPECT_EQ(p.timeline().size(), entries.size()) << engine << ": recording has ended";
    // Entries do not overlap, and calls follow each other as they were made.
    auto last = start;
    std::vector<std::pair<direction, int>> calls;
    std::vector<std::vector<activity>> seen(stages.size());  // by stage of the first forward()
    for (const auto& e : entries) {
      EXPECT_LE(last, e.begin) << engine << " " << e.stage;
      EXPECT_LE(e.begin, e.end) << engine << " " << e.stage;
      last = e.end;
      if (calls.empty() || calls.back() != std::pair{e.way, e.call}) calls.emplace_back(e.way, e.call);
      if (calls.size() > 1) continue;
      ASSERT_LT(at(e.position), stages.size()) << engine;
      EXPECT_EQ(e.stage, stages[at(e.position)].stage) << engine;
      seen[at(e.position)].push_back(e.kind);
    }
    EXPECT_LE(last, std::chrono::steady_clock::now());
    EXPECT_EQ(calls, (std::vector<std::pair<direction, int>>{
                         {direction::forward, 0}, {direction::backward, 0}, {direction::forward, 1}}))
        << engine;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const activity kind = stages[i].stage.starts_with("T(")   ? activity::transform
                            : stages[i].stage.starts_with("R[") ? activity::exchange
                                                                : activity::copy;
      EXPECT_NE(std::find(seen[i].begin(), seen[i].end(), kind), seen[i].end()) << engine << " " << stages[i].stage;
    }
    p.record_timeline(true);
    EXPECT_TRUE(p.timeline().empty()) << engine << ": recording has begun anew";
  }
}

TEST(plans, thousands_can_be_made_and_hundreds_be_alive) {
  const problem p{.shape = {4, 4, 4}};
  std::vector<c2c<double>> alive;
  for (int i = 0; i < 200; ++i) alive.emplace_back(p, world());
  for (const char* engine : {"alltoallv", "alltoallw"}) c2c<double>(p, world(), {.exchange = engine});
  const auto made = counters::now();
  // Builds that ask for few draws are those where a collective call costs a time slice.
  const int many = std::getenv("WEFT_DRAWS") != nullptr ? 200 : 2000;
  for (int i = 0; i < many; ++i) c2c<double>(p, world(), {.exchange = i % 2 == 0 ? "alltoallv" : "alltoallw"});
  EXPECT_EQ(counters::now().communicators, made.communicators) << "sub-communicators are made once";
  EXPECT_LT(wave_error(alive.front(), world()), bound_for<double>(p.shape));
  EXPECT_LT(wave_error(alive.back(), world()), bound_for<double>(p.shape));
}

TEST(plans, running_allocates_nothing_and_makes_no_mpi_object) {
  const long start = counters::now().allocations;
  EXPECT_EQ(std::vector<int>(10).size(), 10U);
  EXPECT_GT(counters::now().allocations, start) << "the counter counts";
  for (const auto& engine : exchange_names()) {
    for (const auto& local : local_names()) {
      // For tests, and as simple as can be: the host allocates the threads that it plays for a device.
      if (local == "reference" || local == "gpu") continue;
      r2c<double> p({.shape = {12, 10, 9}, .in = "[b0 * *]", .out = "[* c0 *]"}, world(),
                    {.exchange = engine, .local = local});
      auto x = p.make_input();
      auto y = p.make_output();
      p.forward(x, y);
      p.backward(y, x);
      const auto before = counters::now();
      p.forward(x, y);
      p.backward(y, x);
      const auto after = counters::now();
      EXPECT_EQ(after.allocations, before.allocations) << engine << " " << local;
      EXPECT_EQ(after.communicators, before.communicators) << engine << " " << local;
      EXPECT_EQ(after.datatypes, before.datatypes) << engine << " " << local;
      EXPECT_EQ(after.requests, before.requests) << engine << " " << local;
    }
  }
}

TEST(plans, live_on_several_communicators_at_once) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(world(), world_rank() % 2, world_rank(), &half);
  {
    const extents shape = world_rank() % 2 == 0 ? extents{8, 9, 10} : extents{15, 14};
    c2c<double> mine(shape, half), all({6, 7, 8}, world());
    EXPECT_LT(wave_error(mine, half), bound_for<double>(shape));
    EXPECT_LT(wave_error(all, world()), bound_for<double>({6, 7, 8}));
    EXPECT_LT(wave_error(mine, half), bound_for<double>(shape));
  }
  MPI_Comm_free(&half);
}

TEST(plans, outlive_the_communicator_they_were_made_from) {
  for (const auto& engine : exchange_names()) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(world(), &copy);
    c2c<double> p({8, 6, 5}, copy, {.exchange = engine});
    MPI_Comm_free(&copy);
    EXPECT_LT(wave_error(p, world()), bound_for<double>({8, 6, 5})) << engine;
  }
}

TEST(plans, run_in_two_threads_on_two_communicators) {
  int provided = 0;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    if (world_rank() == 0) std::printf("this MPI provides no MPI_THREAD_MULTIPLE: the threads take turns\n");
  }
  std::array<MPI_Comm, 2> comms{};
  for (auto& c : comms) MPI_Comm_dup(world(), &c);
  std::array<double, 2> errors{1, 1};
  const auto work = [&](std::size_t i) {
    const extents shape = i == 0 ? extents{12, 10, 8} : extents{9, 14, 6};
    double worst = 0;
    for (int repeat = 0; repeat < 5; ++repeat) {
      c2c<double> p(shape, comms[i]);
      worst = std::max(worst, wave_error(p, comms[i]) / bound_for<double>(shape));
    }
    errors[i] = worst;
  };
  if (provided == MPI_THREAD_MULTIPLE) {
    std::thread other(work, std::size_t{1});
    work(0);
    other.join();
  } else {
    work(0);
    work(1);
  }
  EXPECT_LT(errors[0], 1);
  EXPECT_LT(errors[1], 1);
  for (auto& c : comms) MPI_Comm_free(&c);
}

TEST(plans, ranks_without_elements_keep_step_with_the_others) {
  // A transform of two axes that is too large for one pass, on fewer ranks than there are.
  const extents shape{2, 512, 600};
  const grid few({std::min(2, world_size())});
  for (const auto& engine : exchange_names()) {
    c2c<double> p({.shape = shape, .in = distribution::parse("[b0 * *]", shape, few), .out = "same"}, world(),
                  {.exchange = engine});
    EXPECT_LT(wave_error(p, world()), bound_for<double>(shape)) << engine;
  }
}

/// Output elements of one forward transform of values that depend on the global index only.
template <class Plan, class Input, class Output, class Value>
std::vector<complex> results_in(Plan& p, Input& x, Output& y, Value value) {
  x.for_each([&](std::span<const integer> i, auto& v) { v = value(i); });
  p.forward(x, y);
  std::vector<complex> all(y.begin(), y.end());
  p.backward(y, x);
  for (const auto& v : x) all.emplace_back(v);
  return all;
}

template <class Plan, class Value>
std::vector<complex> results_of(Plan& p, Value value) {
  auto x = p.make_input();
  auto y = p.make_output();
  return results_in(p, x, y, value);
}

TEST(plans, parts_of_messages_that_leave_early_change_no_bit) {
  // Messages large enough to be cut, from transforms that leave one axis alone and from some that leave two.
  const auto value = [](std::span<const integer> i) { return complex(double(i[0] * 7 + i[1]), double(i[2] % 5)); };
  for (const char* algorithm : {"slab", "pencil"}) {
    for (const int threads : {1, 2}) {
      const problem what{.shape = {96, 64, 40}};
      options how{.algorithm = algorithm, .exchange = "p2p", .threads = threads};
      c2c<double> whole(what, world(), how);
      how.exchange = "pipelined";
      c2c<double> cut(what, world(), how);
      const auto expected = results_of(whole, value);
      // New arrays each time: the second time at other addresses, or not.
      const auto kept = cut.make_output();
      for (int run = 0; run < 2; ++run) {
        const auto got = results_of(cut, value);
        EXPECT_TRUE(got == expected) << algorithm << ", " << threads << " threads";
      }
      EXPECT_GE(cut.report().messages, whole.report().messages);
      if (world_size() == 2) {
        EXPECT_GT(cut.report().messages, whole.report().messages) << algorithm;
      }
      EXPECT_EQ(cut.report().bytes, whole.report().bytes);
      EXPECT_EQ(cut.stage_times().size(), whole.stage_times().size());
    }
  }
}

TEST(plans, messages_that_arrive_early_harm_nothing) {
  // Every rank's part goes to the next one, nothing stays, and the input may be written over: but not by
  // messages from a rank that is ahead, while it is still being read.
  const extents shape{8 * world_size(), 64, 40};
  std::vector<box> slabs, next;
  for (int r = 0; r < world_size(); ++r) slabs.push_back({{8 * r, 0, 0}, {8 * (r + 1), 64, 40}});
  for (int r = 0; r < world_size(); ++r) next.push_back(slabs[at((r + 1) % world_size())]);
  const problem what{.shape = shape,
                     .axes = {1, 2},
                     .in = distribution::bricks(shape, slabs),
                     .out = distribution::bricks(shape, next)};
  const auto value = [](std::span<const integer> i) { return complex(double(i[0] * 7 + i[1]), double(i[2] % 5)); };
  c2c<double> careful(what, world(), {.exchange = "alltoallv"});
  const auto expected = results_of(careful, value);
  for (const auto& engine : exchange_names()) {
    c2c<double> p(what, world(), {.exchange = engine, .destroy_input = true});
    if (world_rank() % 2 == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(results_of(p, value) == expected) << engine;
  }
}

/// The same for arrays of the user's own, or for one of them.
template <class Plan, class Value>
std::vector<complex> results_with(Plan& p, Value value, bool own_input, bool own_output) {
  using input = decltype(p.make_input());
  using output = decltype(p.make_output());
  input own_x(p.input(), p.rank(), p.batch(), p.input_layout()), x = p.make_input();
  output own_y(p.output(), p.rank(), p.batch(), p.output_layout()), y = p.make_output();
  return results_in(p, own_input ? own_x : x, own_output ? own_y : y, value);
}

TEST(plans, take_shared_arrays_and_others_alike) {
  int shared = 0;
  for (const auto seed : seeds(16, 900 + static_cast<std::uint64_t>(world_size()))) {
    drawn t = draw_problem(seed, world_size(), 2000);
    t.how.algorithm = "auto";
    t.how.exchange = "window";
    t.how.local = "weft";
    t.how.in_place = false;
    t.what.element = precision::f64;
    SCOPED_TRACE(describe(t));
    const auto value = [](std::span<const integer> i) {
      double v = 1;
      for (const integer k : i) v = v * 1.7 + static_cast<double>(k % 5);
      return std::sin(v);
    };
    const auto compare = [&](auto p) {
      const auto expected = results_with(p, value, false, false);
      for (const auto& [own_input, own_output] :
           {std::pair(true, true), std::pair(true, false), std::pair(false, true)})
        EXPECT_EQ(results_with(p, value, own_input, own_output), expected);
      EXPECT_EQ(results_with(p, value, world_rank() == 0, false), expected) << "one rank differs";
      EXPECT_EQ(results_with(p, value, false, false), expected);
      shared += p.report().arrays == "shared" ? 1 : 0;
    };
    try {
      if (t.what.kind == transform_kind::r2c) {
        compare(r2c<double>(t.what, world(), t.how));
      } else if (t.what.kind == transform_kind::r2r) {
        compare(r2r<double>(t.what, world(), t.how));
      } else {
        compare(c2c<double>(t.what, world(), t.how));
      }
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    if (failed_anywhere()) return;
  }
  if (world_size() > 1) {
    EXPECT_GT(shared, 0);
  }
}

/// As if /dev/shm were full: a rank may write no more files of some size.
class full_shared_memory {
 public:
  explicit full_shared_memory(bool here) {
    if (!here) return;
    former_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit low = before_;
    low.rlim_cur = 4096;
    setrlimit(RLIMIT_FSIZE, &low);
    set_ = true;
  }
  full_shared_memory(const full_shared_memory&) = delete;
  full_shared_memory& operator=(const full_shared_memory&) = delete;
  ~full_shared_memory() {
    if (!set_) return;
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, former_handler_);
  }

 private:
  bool set_ = false;
  rlimit before_{};
  void (*former_handler_)(int) = nullptr;
};

TEST(plans, make_private_arrays_where_there_is_no_room_to_share) {
  if (world_size() == 1) return;
  const extents shape{16, 12 * world_size(), 20};
  c2c<double> p(shape, world(), {.exchange = "window"});
  ASSERT_EQ(p.report().arrays, "shared");
  const auto value = [](std::span<const integer> i) { return complex(static_cast<double>(i[0] + i[1]), 0.5); };
  const auto expected = results_of(p, value);
  {
    const full_shared_memory now(world_rank() == 0);
    auto x = p.make_input();
    auto y = p.make_output();
    EXPECT_TRUE(p.report().arrays.starts_with("private: ")) << p.report().arrays;
    EXPECT_NE(p.report().arrays.find("/dev/shm"), std::string::npos) << p.report().arrays;
    EXPECT_TRUE(x.block().peers().empty());
    // It is bound anew for them, by messages, as there is no room for shared work areas either.
    EXPECT_EQ(p.report().exchange, "window");
    EXPECT_EQ(p.report().messages, 0);
    EXPECT_EQ(results_in(p, x, y, value), expected);
    EXPECT_NE(p.report().exchange, "window");
    EXPECT_EQ(p.report().messages, world_size() - 1);
    const auto filled = p.report().workspace_bytes;
    EXPECT_EQ(results_in(p, x, y, value), expected);
    EXPECT_EQ(p.report().workspace_bytes, filled) << "but once";
  }
  EXPECT_EQ(results_of(p, value), expected);
  EXPECT_EQ(p.report().exchange, "window");
}

/// Peers must not look into arrays that are not the ones that their owner passed.
TEST(plans, notice_arrays_that_ranks_mix_up) {
  c2c<double> p(extents{8, 6 * world_size()}, world(), {.exchange = "window"});
  auto a = p.make_input(), b = p.make_input();
  auto y = p.make_output(), z = p.make_output();
  const auto value = [](std::span<const integer> i) {
    return complex(static_cast<double>(i[0]), 1.0 / static_cast<double>(1 + i[1]));
  };
  const auto expected = results_in(p, a, y, value);
  const bool odd = world_rank() % 2 == 1;
  EXPECT_EQ(results_in(p, odd ? b : a, odd ? z : y, value), expected);
}

TEST(plans, may_be_empty_until_they_are_assigned) {
  c2c<double> p;
  EXPECT_FALSE(p);
  EXPECT_THROW((void)p.input(), argument_error);
  EXPECT_THROW((void)p.make_input(), argument_error);
  EXPECT_THROW((void)p.report(), argument_error);
  complex none;
  EXPECT_THROW(p.forward(&none, &none), argument_error);
  p = c2c<double>({8, 6}, world());
  EXPECT_TRUE(p);
  auto x = p.make_input();
  auto y = p.make_output();
  p.forward(x, y);
  c2c<double> q = std::move(p);
  EXPECT_TRUE(q);
  EXPECT_FALSE(p);  // NOLINT(bugprone-use-after-move)
  EXPECT_THROW(p.forward(x, y), argument_error);
  q.forward(x, y);
}

TEST(plans, lie_like_others) {
  for (const char* in : {"any", "[b0 * *]", "[* c0 *]", "brick"}) {
    for (const char* out : {"any", "same", "[* * b0]"}) {
      problem what{.shape = {16, 12, 10}};
      what.in = in;
      what.out = out;
      const c2c<double> first(what, world());
      auto alike = like(first);
      alike.batch = 3;
      const c2c<float> batch(alike, world());
      EXPECT_EQ(batch.input(), first.input());
      EXPECT_EQ(batch.output(), first.output());
      const r2c<double> real(like(first), world());
      EXPECT_EQ(real.input(), first.input());
      EXPECT_EQ(real.output(), first.output().with_shape({16, 12, 6}));
      const c2c<double> again(like(real), world());
      EXPECT_EQ(again.input(), first.input());
    }
  }
  auto other = like(c2c<double>({8, 6}, world()));
  other.shape = {8, 6, 4};
  EXPECT_THROW((c2c<double>(other, world())), distribution_error);
}

TEST(plans, share_the_modes_of_boxes_evenly) {
  // Cut along the halved axis: each rank has its share of the modes, too.
  std::vector<box> boxes;
  const integer ranks = world_size();
  for (integer r = 0; r < ranks; ++r) boxes.push_back({{0, 64 * r / ranks}, {16, 64 * (r + 1) / ranks}});
  problem what{.shape = {16, 64}};
  what.in = distribution::bricks(what.shape, boxes);
  what.out = "same";
  const r2c<double> p(what, world());
  for (int r = 0; r < world_size(); ++r) {
    EXPECT_NEAR(static_cast<double>(p.output().local_size(r)), 16.0 * 33 / world_size(), 16.0) << p.output().text();
  }
}

}  // namespace
}  // namespace weft::testing
