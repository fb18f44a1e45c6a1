// SPDX-License-Identifier: BSD-3-Clause
// Which kernel transforms which lines.
#if defined(WEFT_LOCAL_SIMD_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_KERNELS_INL_HPP
#undef WEFT_LOCAL_SIMD_KERNELS_INL_HPP
#else
#define WEFT_LOCAL_SIMD_KERNELS_INL_HPP
#endif

#include <memory>
#include <utility>

#include "local/simd/complex_kernels-inl.hpp"
#include "local/simd/real_kernels-inl.hpp"
#include "local/simd/trigonometric_kernels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

template <class T>
std::unique_ptr<kernel> make_kernel_of(const line_problem& problem) {
  const line_row& row = row_of(problem.kind);
  if (is_trigonometric(problem.kind)) {
    trigonometric_lines<T> lines(on_reals(problem.kind), problem.length);
    if (row.in == element_type::real) return std::make_unique<trigonometric_kernel<T>>(std::move(lines), problem);
    return std::make_unique<complex_trigonometric_kernel<T>>(std::move(lines), problem);
  }
  if (row.in != row.out) {
    if (problem.length % 2 == 0) return std::make_unique<even_real_kernel<T>>(problem);
    return std::make_unique<odd_real_kernel<T>>(problem);
  }
  if (conjugates(problem)) return std::make_unique<complex_kernel<T>>(problem);
  if (problem.lines_contiguous && contiguous_fft<T>::suits(problem.length)) {
    using fft = contiguous_order_fft<T>;
    return std::make_unique<radix_kernel<T, fft>>(fft(problem.length, !row.forward), problem);
  }
  const factorisation factors = factorise(problem.length);
  if (problem.length == 1 || !factors.radices.empty()) {
    using fft = radix_fft<T>;
    return std::make_unique<radix_kernel<T, fft>>(fft(factors.radices, padding::allowed), problem);
  }
  return std::make_unique<complex_kernel<T>>(problem);
}

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
