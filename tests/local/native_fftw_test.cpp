// SPDX-License-Identifier: BSD-3-Clause
// The native engine is as accurate as FFTW.
#include <gtest/gtest.h>

#include "lines.hpp"
#include "local/engines/fftw_api.hpp"

namespace weft::local {
namespace {

template <class T>
void fftw_transform(integer n, std::complex<T>* x, std::complex<T>* y) {
  using api = fftw_api<T>;
  const int length = static_cast<int>(n);
  const auto raw = [](std::complex<T>* p) { return reinterpret_cast<typename api::complex*>(p); };
  const typename api::plan plan = api::plan_c2c(1, &length, raw(x), raw(y), FFTW_FORWARD, FFTW_ESTIMATE);
  api::execute(plan);
  api::destroy(plan);
}

/// The worst ratio of errors. Errors below a fifth of the unit roundoff are noise: very short transforms are nearly
/// exact.
template <class T>
wide compare_accuracy() {
  const wide floor = 0.1L * std::numeric_limits<T>::epsilon();
  wide worst = 0;
  for (const integer n : lengths_for_accuracy()) {
    const wide ours = error_of_random_lines<T>(n, native_transform<T>);
    const wide theirs = error_of_random_lines<T>(n, fftw_transform<T>);
    EXPECT_LT(ours, 1.5L * std::max(theirs, floor)) << "length " << n << " bytes " << sizeof(T);
    worst = std::max(worst, ours / std::max(theirs, floor));
  }
  return worst;
}

constexpr fftw_r2r_kind fftw_kinds[] = {FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11,
                                        FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11};

/// Errors of one random real line by either: ours first.
template <class T>
std::pair<wide, wide> trigonometric_errors(line_kind kind, integer n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::uniform_real_distribution<T> uniform(-1, 1);
  std::vector<T> x(at(n)), ours(at(n)), theirs(at(n));
  for (auto& value : x) value = uniform(random);
  const line want = expected(kind, n, line(x.begin(), x.end()));
  const integer bytes = sizeof(T);
  const run from{reinterpret_cast<std::byte*>(x.data()), 0, 1, n, bytes, n * bytes};
  const run to{reinterpret_cast<std::byte*>(ours.data()), 0, 1, n, bytes, n * bytes};
  call<T>({kind, n, precision_of<T>, 1, true}, {{&from, 1}, 1}, {{&to, 1}, 1}, 1);
  using api = fftw_api<T>;
  const int length = static_cast<int>(n);
  const fftw_r2r_kind asked = fftw_kinds[static_cast<int>(kind) - static_cast<int>(line_kind::dct1)];
  const typename api::plan plan = api::plan_many_r2r(1, &length, 1, x.data(), nullptr, 1, length, theirs.data(),
                                                     nullptr, 1, length, &asked, FFTW_ESTIMATE);
  api::execute(plan);
  api::destroy(plan);
  return {distance(line(ours.begin(), ours.end()), want), distance(line(theirs.begin(), theirs.end()), want)};
}

template <class T>
void compare_trigonometric_accuracy() {
  for (int number = 0; number < 8; ++number) {
    const auto kind = trigonometric_kinds[number];
    wide ours = 0, theirs = 0;
    for (integer n = 2; n <= 1024; n += n < 64 ? 1 : 31) {
      const auto [our, their] = trigonometric_errors<T>(kind, n);
      ours += our;
      theirs += their;
    }
    EXPECT_LT(ours, 1.5L * theirs) << row_of(kind).name << " bytes " << sizeof(T);
  }
}

TEST(native_accuracy, of_cosine_and_sine_transforms_is_that_of_fftw) {
  compare_trigonometric_accuracy<double>();
  compare_trigonometric_accuracy<float>();
}

TEST(native_accuracy, is_that_of_fftw) {
  RecordProperty("worst_ratio_f64", std::to_string(compare_accuracy<double>()));
  RecordProperty("worst_ratio_f32", std::to_string(compare_accuracy<float>()));
}

}  // namespace
}  // namespace weft::local
