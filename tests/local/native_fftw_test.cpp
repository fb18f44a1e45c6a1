// The native engine is as accurate as FFTW.
#include <fftw3.h>
#include <gtest/gtest.h>

#include "lines.hpp"

namespace weft::local {
namespace {

void fftw_transform(integer n, std::complex<double>* x, std::complex<double>* y) {
  fftw_plan plan = fftw_plan_dft_1d(static_cast<int>(n), reinterpret_cast<fftw_complex*>(x),
                                    reinterpret_cast<fftw_complex*>(y), FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}
void fftw_transform(integer n, std::complex<float>* x, std::complex<float>* y) {
  fftwf_plan plan = fftwf_plan_dft_1d(static_cast<int>(n), reinterpret_cast<fftwf_complex*>(x),
                                      reinterpret_cast<fftwf_complex*>(y), FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_execute(plan);
  fftwf_destroy_plan(plan);
}

/// The worst ratio of errors. Errors below a fifth of the unit roundoff are noise: very short transforms are nearly
/// exact.
template <class T>
wide compare_accuracy() {
  const wide floor = 0.1L * std::numeric_limits<T>::epsilon();
  wide worst = 0;
  for (const integer n : lengths_for_accuracy()) {
    const wide ours = error_of_random_lines<T>(n, native_transform<T>);
    const wide theirs = error_of_random_lines<T>(n, [](auto... a) { fftw_transform(a...); });
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
