// SPDX-License-Identifier: BSD-3-Clause
// Kernels of cosine and sine transforms.
#if defined(WEFT_LOCAL_SIMD_TRIGONOMETRIC_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_TRIGONOMETRIC_KERNELS_INL_HPP
#undef WEFT_LOCAL_SIMD_TRIGONOMETRIC_KERNELS_INL_HPP
#else
#define WEFT_LOCAL_SIMD_TRIGONOMETRIC_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <utility>

#include "local/simd/grouped_kernel-inl.hpp"
#include "local/simd/trigonometric-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

/// Cosine and sine transforms of real lines.
template <class T>
class trigonometric_kernel final : public grouped_kernel<T> {
 public:
  trigonometric_kernel(trigonometric_lines<T> lines, const line_problem& problem)
      : grouped_kernel<T>(lines.buffer_elements(), problem), lines_(std::move(lines)) {}

 private:
  void load(const bundle& from, const lane_range& lanes, T scale, const kernel_buffers<T>& space) const override {
    load_lines<T, element_type::real>(from, lanes, lines_.slots_in(), lines_.inlet(space.own, space.spare));
    lines_.transform(space.own, space.spare, scale);
  }
  void store(const bundle& to, const lane_range& lanes, T, const kernel_buffers<T>& space) const override {
    store_lines<T, element_type::real>(to, lanes, lines_.slots_out(), space.own);
  }

  trigonometric_lines<T> lines_;
};

/// The same of complex lines: real and imaginary parts, one after the other.
template <class T>
class complex_trigonometric_kernel final : public grouped_kernel<T> {
 public:
  complex_trigonometric_kernel(trigonometric_lines<T> lines, const line_problem& problem)
      : grouped_kernel<T>(std::max(problem.length, 2 * lines.buffer_elements()), problem),
        lines_(std::move(lines)),
        length_(problem.length),
        edit_input_(fused_loading<T>(problem)),
        edit_output_(fused_storing<T>(problem)) {}

 private:
  void load(const bundle& from, const lane_range& lanes, T scale, const kernel_buffers<T>& space) const override {
    load_lines<T, element_type::complex>(from, lanes, slot_order{}, space.own);
    edit_input_(space.own, {});
    T* const own = space.spare;
    T* const spare = element(space.spare, lines_.buffer_elements());
    for (const integer part : {0, 1}) {
      T* const inlet = lines_.inlet(own, spare);
      for (integer i = 0; i < length_; ++i) {
        copy_slot(space.own, 2 * i + part, inlet, lines_.slots_in().slot(i));
      }
      lines_.transform(own, spare, scale);
      for (integer i = 0; i < length_; ++i) copy_slot(own, lines_.slots_out().slot(i), space.own, 2 * i + part);
    }
    edit_output_(space.own, {});
  }
  void store(const bundle& to, const lane_range& lanes, T, const kernel_buffers<T>& space) const override {
    store_lines<T, element_type::complex>(to, lanes, {}, space.own);
  }

  static HWY_INLINE void copy_slot(const T* from, integer slot, T* to, integer place) {
    hn::Store(hn::Load(tag<T>(), from + slot * width<T>), tag<T>(), to + place * width<T>);
  }

  trigonometric_lines<T> lines_;
  integer length_;
  line_edits<T> edit_input_, edit_output_;
};

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
