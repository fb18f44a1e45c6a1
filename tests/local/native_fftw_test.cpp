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

TEST(native_accuracy, is_that_of_fftw) {
  RecordProperty("worst_ratio_f64", std::to_string(compare_accuracy<double>()));
  RecordProperty("worst_ratio_f32", std::to_string(compare_accuracy<float>()));
}

}  // namespace
}  // namespace weft::local
