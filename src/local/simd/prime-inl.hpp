// SPDX-License-Identifier: BSD-3-Clause
// Steps of any odd prime radix, by summation: cheaper than a convolution for primes below about 100.
#if defined(WEFT_LOCAL_SIMD_PRIME_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_PRIME_INL_HPP
#undef WEFT_LOCAL_SIMD_PRIME_INL_HPP
#else
#define WEFT_LOCAL_SIMD_PRIME_INL_HPP
#endif

#include <vector>

#include "local/simd/plan.hpp"
#include "local/simd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

template <class T>
class prime_step {
 public:
  prime_step() = default;
  explicit prime_step(int radix) : radix_(radix) {
    const std::vector<T> roots = roots_of_unity<T>(radix, radix);
    for (integer j = 1; j <= radix / 2; ++j) {
      for (integer k = 1; k <= radix / 2; ++k) {
        const auto at = static_cast<std::size_t>(2 * (j * k % radix));
        matrix_.push_back(roots[at]);
        matrix_.push_back(-roots[at + 1]);
      }
    }
  }

  void inner(const T* in, T* out, integer groups, integer stride, const T* roots) const {
    for (integer p = 0; p < groups; ++p, roots += 2 * (radix_ - 1)) {
      for (integer q = 0; q < stride; ++q) {
        HWY_ALIGN T values[value_count];
        butterfly(element(in, q + stride * p), stride * groups, values);
        T* to = element(out, q + stride * radix_ * p);
        store_element<T>(load_element<T>(values), to);
        for (integer k = 1; k < radix_; ++k) {
          const auto value = load_element<T>(element(values, k));
          store_element<T>(rotated<T>(value, roots + 2 * (k - 1)), element(to, k * stride));
        }
      }
    }
  }

  /// `out` may be `in`.
  void last(const T* in, T* out, integer stride, T scale) const {
    const auto factor = hn::Set(tag<T>(), scale);
    for (integer q = 0; q < stride; ++q) {
      HWY_ALIGN T values[value_count];
      butterfly(element(in, q), stride, values);
      for (integer k = 0; k < radix_; ++k) {
        const auto value = load_element<T>(element(values, k));
        store_element<T>(scaled<T>(value, factor), element(out, q + k * stride));
      }
    }
  }

 private:
  static constexpr std::size_t value_count = static_cast<std::size_t>(largest_summed_prime * 2 * width<T>);

  /// Sums and differences of mirrored elements, then a real matrix on either, as in dft_odd.
  void butterfly(const T* in, integer step, T* values) const {
    HWY_ALIGN T mirrored[value_count];
    const integer half = radix_ / 2;
    const auto first = load_element<T>(in);
    auto total = first;
    for (integer k = 1; k <= half; ++k) {
      const auto a = load_element<T>(element(in, k * step));
      const auto b = load_element<T>(element(in, (radix_ - k) * step));
      const complex_vector<T> sum{hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
      store_element<T>(sum, element(mirrored, 2 * (k - 1)));
      store_element<T>({hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)}, element(mirrored, 2 * (k - 1) + 1));
      total = {hn::Add(total.re, sum.re), hn::Add(total.im, sum.im)};
    }
    store_element<T>(total, values);
    // Several rows at a time share the loads and hide the latency of the additions.
    integer j = 1;
    for (; j + 3 <= half; j += 4) sum_rows<4>(first, mirrored, j, values);
    for (; j <= half; ++j) sum_rows<1>(first, mirrored, j, values);
  }

  template <int Rows>
  HWY_INLINE void sum_rows(const complex_vector<T>& first, const T* mirrored, integer j, T* values) const {
    const tag<T> d;
    const integer half = radix_ / 2;
    const T* matrix = matrix_.data() + 2 * (j - 1) * half;
    complex_vector<T> even[Rows];
    complex_vector<T> odd[Rows];
    static_for<Rows>([&](auto r) WEFT_LAMBDA {
      even[r] = first;
      odd[r] = {hn::Zero(d), hn::Zero(d)};
    });
    for (integer k = 0; k < half; ++k) {
      const auto sum = load_element<T>(element(mirrored, 2 * k));
      const auto difference = load_element<T>(element(mirrored, 2 * k + 1));
      static_for<Rows>([&](auto r) WEFT_LAMBDA {
        const auto cosine = hn::Set(d, matrix[2 * (r * half + k)]);
        const auto sine = hn::Set(d, matrix[2 * (r * half + k) + 1]);
        even[r] = {hn::MulAdd(sum.re, cosine, even[r].re), hn::MulAdd(sum.im, cosine, even[r].im)};
        odd[r] = {hn::MulAdd(difference.re, sine, odd[r].re), hn::MulAdd(difference.im, sine, odd[r].im)};
      });
    }
    static_for<Rows>([&](auto r) WEFT_LAMBDA {
      store_element<T>({hn::Add(even[r].re, odd[r].im), hn::Sub(even[r].im, odd[r].re)}, element(values, j + r));
      store_element<T>({hn::Sub(even[r].re, odd[r].im), hn::Add(even[r].im, odd[r].re)},
                       element(values, radix_ - j - r));
    });
  }

  integer radix_ = 1;
  std::vector<T> matrix_;  ///< cosine and sine of 2 pi jk/radix for 1 <= j, k <= radix/2, row by row
};

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
