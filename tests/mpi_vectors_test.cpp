// SPDX-License-Identifier: BSD-3-Clause
// The test vectors of tests/vectors through the C++ interface.
#include <gtest/gtest.h>

#include <cmath>

#include "compat/vectors.hpp"
#include "mpi_support.hpp"
#include "weft/plan.hpp"

namespace weft::testing {
namespace {

problem problem_of(const vector_case& c) {
  problem what;
  what.shape = c.shape;
  what.batch = c.batch;
  if (c.kinds.empty()) {
    for (int l = 0; l < c.axes(); ++l) {
      if (c.transformed[static_cast<std::size_t>(l)] != 0) what.axes.push_back(l);
    }
    what.real_axis = c.halved;
  } else {
    what.kinds = c.kinds;
    what.modes = c.kept;
  }
  return what;
}

/// Ways to ask for the same numbers.
struct variant {
  const char* in = "any";
  const char* out = "any";
  options how = {};
  int axes = 0;  ///< that `in` is for; 0: any number
};

std::vector<variant> variants() {
  std::vector<variant> all(6);
  all[1].out = "same";
  all[2].how.exchange = "p2p";
  all[3].how.in_place = true;
  all[4].in = "[c0 * *]";
  all[4].axes = 3;
  all[5].how.idle_ranks = false;
  return all;
}

template <class Element>
Element element_of(std::complex<double> value) {
  if constexpr (std::is_floating_point_v<Element>) {
    return static_cast<Element>(value.real());
  } else {
    return {static_cast<typename Element::value_type>(value.real()),
            static_cast<typename Element::value_type>(value.imag())};
  }
}

template <class Element>
std::complex<double> number_from(Element value) {
  return std::complex<double>(value);
}

/// There from `x` to `y`, and back.
template <class In, class Out, class There, class Back>
void check(const vector_case& c, array<In>& x, array<Out>& y, double rounding, const There& there, const Back& back) {
  const auto input = [&](const auto& i, integer b) { return c.input(number_of(c.shape, i, b)); };
  const double limit = rounding * std::sqrt(c.energy);
  x.for_each([&](auto i, In& value, integer b) { value = element_of<In>(input(i, b)); });
  there();
  long long seen = 0;
  y.for_each([&](auto i, Out& value, integer b) {
    const auto wanted = c.expected[static_cast<std::size_t>(number_of(c.modes_shape, i, b))];
    EXPECT_LE(std::abs(number_from(value) - wanted), limit);
    ++seen;
  });
  MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPI_LONG_LONG, MPI_SUM, world());
  EXPECT_EQ(seen, std::ssize(c.expected));
  back();
  if (c.factor == 0) return;
  x.for_each([&](auto i, In& value, integer b) {
    EXPECT_LE(std::abs(number_from(value) - c.factor * input(i, b)), limit * c.factor);
  });
}

template <class Plan>
void run(const vector_case& c, const variant& v, double rounding) {
  problem what = problem_of(c);
  what.in = v.in;
  what.out = v.out;
  Plan plan(what, world(), v.how);
  auto x = plan.make_input();
  auto y = v.how.in_place ? plan.make_output(x) : plan.make_output();
  const auto forward = [&] { plan.forward(x, y); };
  const auto backward = [&] { plan.backward(y, x); };
  if (c.backward) {
    check(c, y, x, rounding, backward, forward);
  } else {
    check(c, x, y, rounding, forward, backward);
  }
}

template <class Real>
void run(const vector_case& c, const variant& v) {
  const double rounding = std::is_same_v<Real, float> ? 2e-5 : 1e-13;
  if (c.transform == "r2c") return run<r2c<Real>>(c, v, rounding);
  if (c.transform == "r2r") return run<r2r<Real>>(c, v, rounding);
  run<c2c<Real>>(c, v, rounding);
}

TEST(vectors, are_what_is_listed) {
  int number = 0, runs = 0;
  for (const auto& c : read_vectors()) {
    for (const auto& v : variants()) {
      if (v.axes != 0 && v.axes != c.axes()) continue;
      SCOPED_TRACE(c.name + " from " + v.in + " to " + v.out + " by " + v.how.exchange);
      ++number % 2 == 0 ? run<float>(c, v) : run<double>(c, v);
      ++runs;
    }
  }
  EXPECT_GT(runs, 50);
}

}  // namespace
}  // namespace weft::testing
