// SPDX-License-Identifier: BSD-3-Clause
// The kernel for long lines, mostly with short ones: every kind, access map, number of threads and operation against
// the definition. Then lines that are really long, a few modes of each.
#include <gtest/gtest.h>

#include <complex>
#include <numbers>
#include <random>

#include "lines.hpp"
#include "local/long_kernel.hpp"
#include "local/serial.hpp"
#include "targets.hpp"

namespace weft::local {
namespace {

using long_lines = every_target;

constexpr line_kind all_kinds[] = {line_kind::c2c_forward, line_kind::c2c_backward, line_kind::r2c, line_kind::c2r};
constexpr layout all_layouts[] = {layout::rows, layout::lines, layout::scattered};
constexpr cut all_cuts[] = {cut::whole, cut::steps, cut::hole, cut::start};
// Digits, a prime (a convolution), twice a prime, powers.
constexpr integer lengths[] = {4, 9, 12, 30, 64, 97, 194, 240, 289};

template <class T>
void check(line_problem problem, layout in, cut in_pieces, layout out, cut out_pieces) {
  const auto [kind, n, lanes] = std::tuple(problem.kind, problem.length, problem.lanes);
  SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + " length " + std::to_string(n) + " lanes " +
               std::to_string(lanes) + " threads " + std::to_string(problem.threads) + " bytes " +
               std::to_string(sizeof(T)) + " in " + std::to_string(static_cast<int>(in)) + "/" +
               std::to_string(static_cast<int>(in_pieces)) + " out " + std::to_string(static_cast<int>(out)) + "/" +
               std::to_string(static_cast<int>(out_pieces)));
  std::mt19937 random(static_cast<unsigned>(n));
  guarded_lines<T> from(in, in_pieces, input_count(kind, n), lanes, real_input(kind));
  guarded_lines<T> to(out, out_pieces, output_count(kind, n), lanes, real_output(kind));
  from.fill_random(random);
  const double scale = 0.75;
  problem.element = precision_of<T>;
  problem.one_run = in_pieces == cut::whole && out_pieces == cut::whole;
  problem.storing.emplace_back(scaling{scale});
  const auto kernel = make_long_kernel(problem, weft_engine());
  const aligned_scratch scratch(kernel->scratch_bytes());
  kernel->transform(from.lines(), to.lines(), scratch.memory);
  const auto turned = [](line& x, const operation_list& operations) {
    for (const auto& o : operations) {
      if (const auto* t = std::get_if<turning>(&o)) {
        for (std::size_t k = 0; k < x.size(); ++k) {
          const wide angle = 2 * std::numbers::pi_v<wide> *
                             static_cast<wide>(static_cast<integer>(k) * t->by.shift % t->by.period) /
                             static_cast<wide>(t->by.period);
          x[k] *= wide_complex(std::cos(angle), t->way == direction::forward ? -std::sin(angle) : std::sin(angle));
        }
      }
    }
  };
  for (const int lane : {0, lanes - 1}) {
    line x = from.line_of_lane(lane);
    turned(x, problem.loading);
    line want = expected(kind, n, x);
    turned(want, problem.storing);
    for (integer i = 0; i < output_count(kind, n); ++i) want[at(i)] *= to.holds(i) ? static_cast<wide>(scale) : 0;
    ASSERT_LT(distance(to.line_of_lane(lane), want), 2 * tolerance<T>(n)) << "lane " << lane;
  }
  ASSERT_TRUE(from.surroundings_intact());
  ASSERT_TRUE(to.surroundings_intact());
}

template <class T>
line_problem problem_of(line_kind kind, integer n, int lanes, int threads) {
  line_problem problem{kind, n, precision_of<T>, lanes};
  problem.threads = threads;
  return problem;
}

TEST_P(long_lines, agree_with_the_definition) {
  for (const integer n : lengths) {
    for (const line_kind kind : all_kinds) {
      for (const layout in : all_layouts) {
        for (const layout out : all_layouts) {
          check<double>(problem_of<double>(kind, n, 3, 1), in, cut::whole, out, cut::whole);
          if (in == out) check<float>(problem_of<float>(kind, n, 1, 2), in, cut::whole, out, cut::whole);
        }
      }
    }
  }
}

TEST_P(long_lines, honour_every_access_map) {
  for (const integer n : {12, 97, 120}) {
    for (const line_kind kind : all_kinds) {
      for (const cut in : all_cuts) {
        for (const cut out : all_cuts) {
          check<double>(problem_of<double>(kind, n, 2, 1), layout::lines, in, layout::rows, out);
          check<float>(problem_of<float>(kind, n, 2, 1), layout::rows, in, layout::lines, out);
        }
      }
    }
  }
}

TEST_P(long_lines, turn_on_the_way_in_and_out) {
  for (const integer n : {12, 64, 97, 210}) {
    for (const direction way : {direction::forward, direction::backward}) {
      auto in = problem_of<double>(line_kind::c2c_backward, n, 2, 1);
      in.loading.emplace_back(turning{0, {5, 7 * n}, way});
      check<double>(in, layout::lines, cut::whole, layout::lines, cut::whole);
      check<double>(in, layout::rows, cut::steps, layout::lines, cut::whole);
      auto out = problem_of<double>(line_kind::c2c_forward, n, 1, 3);
      out.storing.emplace_back(turning{0, {3, 4 * n}, way});
      check<double>(out, layout::lines, cut::whole, layout::lines, cut::whole);
      check<double>(out, layout::lines, cut::whole, layout::scattered, cut::steps);
    }
  }
}

TEST_P(long_lines, work_in_place) {
  for (const integer n : {30, 97}) {
    std::vector<std::complex<double>> x(at(n)), y(at(n));
    for (integer j = 0; j < n; ++j) y[at(j)] = x[at(j)] = {static_cast<double>(j % 7), static_cast<double>(j % 5)};
    const auto kernel = make_long_kernel(problem_of<double>(line_kind::c2c_forward, n, 1, 1), weft_engine());
    const aligned_scratch scratch(kernel->scratch_bytes());
    const run all{reinterpret_cast<std::byte*>(y.data()), 0, 1, n, sizeof(y[0]), 0};
    kernel->transform({{&all, 1}, 1}, {{&all, 1}, 1}, scratch.memory);
    EXPECT_LT(distance(line(y.begin(), y.end()), definition(line(x.begin(), x.end()), -1, at(n))),
              tolerance<double>(n));
  }
}

TEST_P(long_lines, convolve_in_two_lines_of_memory) {
  constexpr integer n = 100003;  // a prime
  auto problem = problem_of<double>(line_kind::c2c_forward, n, 1, 1);
  problem.one_run = true;
  EXPECT_LT(make_long_kernel(problem, weft_engine())->scratch_bytes(), sizeof(std::complex<double>) * n * 9 / 4);
}

/// A few modes by the definition.
template <class T>
void check_modes(integer n) {
  ASSERT_TRUE(is_long_line(line_kind::c2c_forward, n, precision_of<T>)) << n;
  std::mt19937 random(static_cast<unsigned>(n));
  std::uniform_real_distribution<T> uniform(-1, 1);
  std::vector<std::complex<T>> x(at(n)), y(at(n));
  for (auto& value : x) value = {uniform(random), uniform(random)};
  native_transform<T>(n, x.data(), y.data());
  for (const integer k : {integer{0}, integer{1}, n / 3, n / 2 + 1, n - 1}) {
    wide_complex sum = 0;
    for (integer j = 0; j < n; ++j) {
      const wide angle = -2 * std::numbers::pi_v<wide> * static_cast<wide>(j * k % n) / static_cast<wide>(n);
      sum += wide_complex(x[at(j)]) * wide_complex(std::cos(angle), std::sin(angle));
    }
    const wide error = std::abs(wide_complex(y[at(k)]) - sum) / std::sqrt(static_cast<wide>(n));
    ASSERT_LT(error, 4 * tolerance<T>(n)) << "mode " << k << " of " << n;
  }
}

/// What long lines are compared with elsewhere goes through convolutions itself, beyond a length.
TEST(serial_transforms, of_long_lines_are_the_sums_that_define_them) {
  constexpr integer n = 5003;  // a prime
  static_assert(n > longest_sum);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<std::complex<double>> x(n), found(n);
  for (auto& value : x) value = {number(random), number(random)};
  using wide = std::complex<long double>;
  const auto expect_sums = [&](const auto& term) {
    for (const integer k : {integer{0}, integer{1}, integer{2}, integer{2501}, n - 1}) {
      wide sum = 0;
      for (integer j = 0; j < n; ++j) sum += wide(x[static_cast<std::size_t>(j)]) * term(j, k);
      EXPECT_LT(std::abs(wide(found[static_cast<std::size_t>(k)]) - sum), 1e-12 * std::sqrt(n)) << "mode " << k;
    }
  };
  constexpr auto pi = std::numbers::pi_v<long double>;
  for (const int sign : {-1, 1}) {
    serial_transform<double>(n, sign)(x.data(), 1, found.data());
    expect_sums([&](integer j, integer k) {
      return std::polar<long double>(1, sign * 2 * pi * static_cast<long double>(j * k % n) / n);
    });
  }
  const auto half = [](integer i) { return static_cast<long double>(i) + 0.5L; };
  serial_trigonometric<double>(line_kind::dct2, n)(x.data(), 1, found.data());
  expect_sums([&](integer j, integer k) { return wide(2 * std::cos(pi * half(j) * static_cast<long double>(k) / n)); });
  serial_trigonometric<double>(line_kind::dst3, n)(x.data(), 1, found.data());
  expect_sums([&](integer j, integer k) {
    const long double sine = std::sin(pi * static_cast<long double>(j + 1) * half(k) / n);
    return wide(j + 1 == n ? sine : 2 * sine);
  });
}

TEST(long_lines_alone, that_are_long) {
  for (const integer n : {65536, 98304, 65537, 131101}) {
    check_modes<double>(n);
    if (n > 65536) check_modes<float>(n);
  }
}

TEST(long_lines_alone, need_a_line_of_memory_or_two) {
  const auto lines_of_scratch = [](integer n) {
    line_problem problem{line_kind::c2c_forward, n, precision::f64, 1};
    problem.one_run = true;
    return static_cast<double>(weft_engine().make_kernel(problem)->scratch_bytes()) / (16.0 * static_cast<double>(n));
  };
  EXPECT_LT(lines_of_scratch(1 << 20), 1.2);
  EXPECT_LT(lines_of_scratch(1000003), 2.2);
}

INSTANTIATE_TEST_SUITE_P(, long_lines, ::testing::ValuesIn(runnable_targets()), target_name);

}  // namespace
}  // namespace weft::local
