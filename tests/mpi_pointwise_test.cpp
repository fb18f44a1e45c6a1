// SPDX-License-Identifier: BSD-3-Clause
// Functions of modes inside forward and backward, against the same functions outside, for everything that plans can do.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>

#include "mpi_support.hpp"
#include "property.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace weft::testing {
namespace {

/// Depends on every index, on the array and on the value, not linearly, so that all of them must be right.
struct some_function {
  template <class T>
  void operator()(std::span<const integer> i, T& value, integer b) const {
    double a = 0.3 * static_cast<double>(b) + 0.1;
    for (std::size_t l = 0; l < i.size(); ++l) a += (0.7 + 0.31 * static_cast<double>(l)) * static_cast<double>(i[l]);
    using real = decltype(std::abs(value));
    if constexpr (std::is_floating_point_v<T>) {
      value = value * static_cast<real>(std::cos(a)) + std::abs(value);
    } else {
      value = value * T(static_cast<real>(std::cos(a)), static_cast<real>(std::sin(a))) + T(0, std::abs(value.real()));
    }
  }
};

template <class T>
double distance(const array<T>& a, const array<T>& b) {
  double most = 0, largest = 1e-30;
  a.for_each([&](auto i, const T& value, integer c) {
    most = std::max(most, static_cast<double>(std::abs(value - b.at(i, c))));
    largest = std::max(largest, static_cast<double>(std::abs(b.at(i, c))));
  });
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, world());
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, world());
  return most / largest;
}

template <class T>
void fill(array<T>& x, const array<T>& with) {
  x.for_each([&](auto i, T& value, integer b) { value = with.at(i, b); });
}

/// In a layout of its own.
template <class T>
array<T> copy_of(const array<T>& x) {
  array<T> copy(x.how(), x.rank(), x.batch());
  fill(copy, x);
  return copy;
}

template <class T>
void randomize(array<T>& x, std::uint64_t seed) {
  x.for_each([&](auto i, T& value, integer b) {
    dice d(seed + static_cast<std::uint64_t>(flat_index(extents(i.begin(), i.end()), x.how().shape()) * 5 + b));
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(d.unit() - 0.5);
    } else {
      value = T(std::complex<double>(d.unit() - 0.5, d.unit() - 0.5));
    }
  });
}

template <class Plan, class Real>
void check_plan(const drawn& t) {
  options how = t.how;
  if (t.strided) {
    const Plan first(t.what, world(), how);  // tells the shapes; each rank draws layouts of its own
    const auto shape = [&](const distribution& d) {
      extents local = d.local_shape(world_rank());
      if (t.what.batch > 1) local.insert(local.begin(), t.what.batch);
      return local;
    };
    const auto both = random_layouts(t, world_rank(), shape(first.input()), shape(first.output()));
    how.input_layout = both.in;
    how.output_layout = both.out;
  }
  Plan plan(t.what, world(), how);
  auto x = plan.make_input();
  auto modes = how.in_place ? plan.make_output(x) : plan.make_output();
  const double limit = std::max(std::is_same_v<Real, float> ? 1e-5 : 1e-13, 10 * how.message_tolerance);
  randomize(x, t.seed);
  const auto field = copy_of(x);

  plan.forward(x, modes);
  auto wanted = copy_of(modes);
  const auto plain = copy_of(modes);
  wanted.for_each([&](auto i, auto& value, integer b) {
    if (is_mode(t.what, i)) some_function()(i, value, b);
  });
  fill(x, field);
  plan.forward(x, modes, some_function());
  EXPECT_LE(distance(modes, wanted), limit) << "forward " << plan.report().schedule;
  fill(x, field);
  plan.forward(x, modes);
  EXPECT_LE(distance(modes, plain), limit) << "forward without a function after one with it";

  // Half the modes of a real field have to fit together: only what a forward transform gave does.
  fill(modes, wanted);
  plan.backward(modes, x);
  const auto back = copy_of(x);
  fill(modes, plain);
  plan.backward(modes, x, some_function());
  EXPECT_LE(distance(x, back), limit) << "backward " << plan.report().schedule;
  if (!how.in_place && !how.destroy_input) {
    EXPECT_EQ(distance(modes, plain), 0) << "backward's input changed";
  }
}

/// Whether there was a plan to check.
bool check(const drawn& t) {
  SCOPED_TRACE(describe(t));
  planner::limits() = t.limits;
  bool checked = false;
  const bool real = t.what.kind == transform_kind::r2c, single = t.what.element == precision::f32;
  try {
    if (t.what.kind == transform_kind::r2r) {
      single ? check_plan<r2r<float>, float>(t) : check_plan<r2r<double>, double>(t);
    } else if (real) {
      single ? check_plan<r2c<float>, float>(t) : check_plan<r2c<double>, double>(t);
    } else {
      single ? check_plan<c2c<float>, float>(t) : check_plan<c2c<double>, double>(t);
    }
    checked = true;
  } catch (const applicability_error&) {
    // Draws name algorithms and engines that cannot do everything.
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what();
  }
  planner::limits() = {};
  return checked;
}

TEST(functions_of_modes, give_the_same_inside_and_outside) {
  const auto all = seeds(40, 9000 + 100 * static_cast<std::uint64_t>(world_size()));
  std::size_t checked = 0;
  for (const auto seed : all) {
    drawn t = draw_problem(seed, world_size(), 1000, static_cast<topic>(seed % 4),
                           seed % 3 == 0 ? drawn_kinds::fourier : drawn_kinds::any);
    draw_tolerance(t);
    if (t.how.local == "gpu") t.how.local = "auto";  // devices call no functions of the host
    checked += check(t) ? 1 : 0;
    if (failed_anywhere()) return;
  }
  if (all.size() > 1) {
    EXPECT_GE(3 * checked, all.size()) << "too many draws had no plan";
  }
}

TEST(functions_of_modes, know_the_modes_behind_digits) {
  const int p = world_size();
  const integer n = integer{2} * p * p;
  int checked[2] = {};  // complex, real
  struct cosines {
    const char *in, *out, *kind;
  };
  for (const auto& e : {cosines{"[* h0 *]", "[* z0 *]", "dct2"}, cosines{"[* z0 *]", "[* h0 *]", "dct3"},
                        cosines{"[* h0 *]", "[* h0 *]", "dct4"}}) {
    drawn t;
    t.ranks = p;
    t.seed = 7;
    t.what.shape = {3, n, 2};
    t.what.kind = transform_kind::r2r;
    t.what.kinds = {"dst1", e.kind, "none"};
    t.what.in = e.in;
    t.what.out = e.out;
    t.what.batch = p % 2 + 1;
    t.how.algorithm = "cyclic";
    for (const auto& engine : exchange_names()) {
      t.how.exchange = engine;
      EXPECT_EQ(check(t), p > 1);
      if (failed_anywhere()) return;
    }
  }
  struct example {
    const char* in;
    extents shape;
    int real_axis;  // none if that cannot be
  };
  for (const auto& e : {example{"[z0 * *]", {n, 4, 2}, 0}, example{"[* z0 *]", {3, n, 2}, 1},
                        example{"[* * z0]", {3, 4, n}, 2}, example{"[c0 * *]", {n, 3, 5}, -1}}) {
    for (const bool real : {true, false}) {
      if (real && e.real_axis < 0) continue;
      drawn t;
      t.ranks = p;
      t.seed = 5;
      t.what.shape = e.shape;
      t.what.kind = real ? transform_kind::r2c : transform_kind::c2c;
      if (real) t.what.real_axis = e.real_axis;
      t.what.in = e.in;
      t.what.out = "same";
      t.what.batch = p % 2 + 1;
      t.how.grid = std::to_string(p);
      t.how.algorithm = "cyclic";
      for (const auto& engine : exchange_names()) {
        t.how.exchange = engine;
        checked[real ? 1 : 0] += check(t) ? 1 : 0;
        if (failed_anywhere()) return;
      }
    }
  }
  if (p == 1) return;  // there are no digits then
  EXPECT_GT(checked[0], 0);
  EXPECT_GT(checked[1], 0);
}

TEST(functions_of_modes, are_passed_by_all_ranks_or_none) {
  c2c<double> plan({8, 6}, world());
  auto x = plan.make_input(), y = plan.make_output();
  const auto twice = [](auto, auto& value) { value *= 2; };
  const auto call = [&] { world_rank() == 0 ? plan.forward(x, y, twice) : plan.forward(x, y); };
  if (world_size() > 1) {
    EXPECT_THROW(call(), mismatch_error);
  }
  x.for_each([](auto, auto& value) { value = 1; });
  plan.forward(x, y, twice);
  y.for_each([](auto i, auto& value) { EXPECT_EQ(value, i[0] + i[1] == 0 ? 96.0 : 0.0); });
  plan.backward(y.span(), x.span(), [](auto i, auto& value) { value = i[0] + i[1] == 0 ? 1 : 0; });
  x.for_each([](auto, auto& value) { EXPECT_EQ(value, 1.0); });
}

}  // namespace
}  // namespace weft::testing
