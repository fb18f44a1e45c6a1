// SPDX-License-Identifier: BSD-3-Clause
// Kernels of real lines that become complex ones, and back.
#if defined(WEFT_LOCAL_SIMD_REAL_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_REAL_KERNELS_INL_HPP
#undef WEFT_LOCAL_SIMD_REAL_KERNELS_INL_HPP
#else
#define WEFT_LOCAL_SIMD_REAL_KERNELS_INL_HPP
#endif

#include <optional>
#include <vector>

#include "local/simd/contiguous-inl.hpp"
#include "local/simd/fft-inl.hpp"
#include "local/simd/grouped_kernel-inl.hpp"
#include "local/simd/real-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

/// Real lines of even length: neighbours are taken as one complex number, so that half the length is
/// transformed; the halves of the spectrum are separated after (r2c) or joined before (c2r).
template <class T>
class even_real_kernel final : public buffered_kernel<T> {
 public:
  explicit even_real_kernel(const line_problem& problem)
      : buffered_kernel<T>(make_fft<T>(problem.length / 2, !row_of(problem.kind).forward, problem.lines_contiguous),
                           problem.length / 2 + 1, problem),
        half_(problem.length / 2),
        forward_(row_of(problem.kind).forward),
        input_{half_, this->fft().kept_order()},
        roots_(roots_of_unity<T>(problem.length, half_ / 2 + 1)) {
    if (!this->edit_input_.any() && !this->edit_output_.any() && problem.lines_contiguous &&
        contiguous_real_fft<T>::suits(problem.length)) {
      by_line_.emplace(problem.length, forward_);
    }
    steps_ = this->fft().only_step();
  }

 private:
  void load(const bundle& from, const lane_range& lanes, T scale, const kernel_buffers<T>& space) const override {
    T* entry = this->fft().entry(space.own, space.spare);
    if (forward_) {
      load_lines<T, element_type::real>(from, lanes, slot_order{1}, entry);
      this->fft().transform(space.own, space.spare, scale / 2);
      separate_all(space.own);
      this->edit_output_(space.own, {});
    } else {
      T* spectrum = entry == space.own ? space.spare : space.own;
      load_lines<T, element_type::complex>(from, lanes, slot_order{}, spectrum);
      this->edit_input_(spectrum, {});
      join_all(spectrum, entry);
      this->fft().transform(space.own, space.spare, scale);
    }
  }
  void store(const bundle& to, const lane_range& lanes, T, const kernel_buffers<T>& space) const override {
    if (forward_) {
      store_lines<T, element_type::complex>(to, lanes, {}, space.own);
    } else {
      store_lines<T, element_type::real>(to, lanes, {1}, space.own);
    }
  }

  bool transform_at_once(const bundle& from, const bundle& to, T scale, const kernel_buffers<T>& space) const override {
    if (!by_line_ || !by_line_->can_do(from, to)) return false;
    by_line_->transform(from, to, scale, {space.own, space.spare, space.rows, space.next_rows});
    return true;
  }

  [[nodiscard]] bool takes(const line_grid& lines) const override {
    if (this->edit_input_.any() || this->edit_output_.any()) return false;
    constexpr integer real = element_bytes<T, element_type::real>, complex = element_bytes<T, element_type::complex>;
    if (lines.from.stride != (forward_ ? real : complex) || lines.to.stride != (forward_ ? complex : real))
      return false;
    if (by_line_) return stays_in_cache(lines);
    return steps_ != nullptr && steps_->across.real != nullptr && !lines.stream;
  }

  void transform_many(const line_grid& lines, T scale, const kernel_buffers<T>& space) const override {
    if (by_line_) {
      by_line_->transform_many(lines, scale, {space.own, space.spare, space.rows, space.next_rows});
    } else {
      transform_lines<T>(lines, forward_ ? steps_->across.real : steps_->across.to_real, false, roots_.data(), scale);
    }
  }

  void separate_all(T* at) const {
    const auto zero = hn::Zero(tag<T>());
    const auto z = load_element<T>(at);
    const auto sum = hn::Add(z.re, z.im);
    const auto difference = hn::Sub(z.re, z.im);
    store_element<T>({hn::Add(sum, sum), zero}, at);
    store_element<T>({hn::Add(difference, difference), zero}, element(at, half_));
    for (integer k = 1; 2 * k <= half_; ++k) {
      T* low = element(at, k);
      T* high = element(at, half_ - k);
      const auto spectrum = separate<T>({load_element<T>(low), load_element<T>(high)}, root(k, T{1}));
      store_element<T>(spectrum.low, low);
      store_element<T>(spectrum.high, high);
    }
  }

  /// Imaginary parts of the first and the last element count as zero.
  void join_all(const T* from, T* to) const {
    const auto first = hn::Load(tag<T>(), from);
    const auto last = hn::Load(tag<T>(), element(from, half_));
    store_element<T>({hn::Add(first, last), hn::Sub(first, last)}, to);
    for (integer k = 1; 2 * k <= half_; ++k) {
      const auto low = load_element<T>(element(from, k));
      const auto high = load_element<T>(element(from, half_ - k));
      const auto z = join<T>({low, high}, root(k, T{-1}));
      store_element<T>(z.low, element(to, input_.place(k)));
      store_element<T>(z.high, element(to, input_.place(half_ - k)));
    }
  }

  [[nodiscard]] HWY_INLINE complex_vector<T> root(integer k, T sign) const {
    const T* at = roots_.data() + 2 * k;
    return {hn::Set(tag<T>(), at[0]), hn::Set(tag<T>(), sign * at[1])};
  }

  integer half_;
  bool forward_;
  slot_map input_;  ///< of a backward transform
  std::vector<T> roots_;
  std::optional<contiguous_real_fft<T>> by_line_;
  const radix_steps<T>* steps_ = nullptr;  ///< where lines of half the length are done in one
};

/// Real lines of odd length, as complex lines.
template <class T>
class odd_real_kernel final : public buffered_kernel<T> {
 public:
  explicit odd_real_kernel(const line_problem& problem)
      : buffered_kernel<T>(make_fft<T>(problem.length, false, false), problem.length, problem),
        length_(problem.length),
        forward_(row_of(problem.kind).forward) {}

 private:
  void load(const bundle& from, const lane_range& lanes, T scale, const kernel_buffers<T>& space) const override {
    T* entry = this->fft().entry(space.own, space.spare);
    if (forward_) {
      load_lines<T, element_type::real>(from, lanes, slot_order{2}, entry);
      for (integer k = 0; k < length_; ++k) clear_imaginary(element(entry, k));
    } else {
      load_lines<T, element_type::complex>(from, lanes, slot_order{}, entry);
      this->edit_input_(entry, {});
      clear_imaginary(entry);
      // A forward transform of the conjugate Hermitian line gives the real line unreversed.
      for (integer k = 1; 2 * k < length_; ++k) {
        const auto value = load_element<T>(element(entry, k));
        store_element<T>(value, element(entry, length_ - k));
        store_element<T>({value.re, hn::Neg(value.im)}, element(entry, k));
      }
    }
    this->fft().transform(space.own, space.spare, scale);
    if (forward_) this->edit_output_(space.own, {});
  }
  void store(const bundle& to, const lane_range& lanes, T, const kernel_buffers<T>& space) const override {
    if (forward_) {
      store_lines<T, element_type::complex>(to, lanes, {}, space.own);
    } else {
      store_lines<T, element_type::real>(to, lanes, {2}, space.own);
    }
  }

  static void clear_imaginary(T* at) { hn::Store(hn::Zero(tag<T>()), tag<T>(), at + width<T>); }

  integer length_;
  bool forward_;
};

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
