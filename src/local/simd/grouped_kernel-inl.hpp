// SPDX-License-Identifier: BSD-3-Clause
// What kernels share: lines in groups of one vector, their buffers, and what is done to elements there.
#if defined(WEFT_LOCAL_SIMD_GROUPED_KERNEL_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_GROUPED_KERNEL_INL_HPP
#undef WEFT_LOCAL_SIMD_GROUPED_KERNEL_INL_HPP
#else
#define WEFT_LOCAL_SIMD_GROUPED_KERNEL_INL_HPP
#endif

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "local/fused.hpp"
#include "local/kernel.hpp"
#include "local/simd/access-inl.hpp"
#include "local/simd/fft-inl.hpp"
#include "weft/error.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

/// Contiguous lines that are on their way between memory and cache go bundle by bundle, each of which fetches the next.
inline bool stays_in_cache(const line_grid& lines) { return !lines.fetch && !lines.stream; }

/// Contiguous lines of a grid by a step that has them one to a lane.
template <class T>
void transform_lines(const line_grid& lines, typename radix_steps<T>::contiguous step, bool backward, const T* roots,
                     T scale) {
  for_each_place(lines.loops, lines.from.address, lines.to.address, [&](const std::byte* from, std::byte* to) {
    step({from, lines.from.lane_stride, to, lines.to.lane_stride, nullptr, 0, lines.lanes, backward, false}, roots,
         scale);
  });
}

/// The memory of one call for one group of lanes. `own` keeps the group's data between loading and
/// storing; everything else is shared by the groups.
template <class T>
struct kernel_buffers {
  T* own = nullptr;
  T* spare = nullptr;
  std::byte* nowhere = nullptr;  ///< one row
  std::byte** rows = nullptr;
  std::byte** next_rows = nullptr;
  std::byte** sink_rows = nullptr;
};

/// Cuts a bundle into groups of one vector, loads and transforms them all, then stores them all.
template <class T>
class grouped_kernel : public kernel {
 public:
  [[nodiscard]] std::size_t scratch_bytes() const final {
    return static_cast<std::size_t>((groups_ + 1) * buffer_bytes() + row_bytes + 3 * pointer_bytes());
  }

  void transform(const line_grid& lines, std::byte* scratch) const final {
    transform_many(lines, scale_, space_of(scratch, 0));
  }

  void transform(const bundle& from, const bundle& to, std::byte* scratch) const final {
    if (from.lanes < to.lanes || from.lanes > groups_ * width<T>) {
      throw argument_error("a bundle of " + std::to_string(from.lanes) + " lanes does not fit its kernel");
    }
    if (from.lanes == to.lanes && transform_at_once(from, to, scale_, space_of(scratch, 0))) return;
    for (integer g = 0; g * width<T> < from.lanes; ++g) {
      load(from, lanes_of(from, g), scale_, space_of(scratch, g));
    }
    for (integer g = 0; g * width<T> < to.lanes; ++g) {
      store(to, lanes_of(to, g), scale_, space_of(scratch, g));
    }
  }

 protected:
  /// `elements`: complex elements of a buffer.
  grouped_kernel(integer elements, const line_problem& problem)
      : elements_(elements),
        groups_(std::max<integer>(1, (problem.lanes + width<T> - 1) / width<T>)),
        scale_(static_cast<T>(scale_of(problem))) {}

 private:
  /// Leaves in `own` what store() needs.
  virtual void load(const bundle& from, const lane_range& lanes, T scale, const kernel_buffers<T>& space) const = 0;
  virtual void store(const bundle& to, const lane_range& lanes, T scale, const kernel_buffers<T>& space) const = 0;
  /// A shortcut; false if it does not apply.
  virtual bool transform_at_once(const bundle&, const bundle&, T, const kernel_buffers<T>&) const { return false; }

  virtual void transform_many(const line_grid&, T, const kernel_buffers<T>&) const {}

  static constexpr integer row_bytes = 2 * vector_bytes<T>;

  /// Buffers start a few cache lines off the page grid of their neighbours: a store that equals a load in
  /// its low twelve bits delays it.
  [[nodiscard]] integer buffer_bytes() const { return (elements_ * row_bytes + 63) / 64 * 64 + 5 * 64; }
  [[nodiscard]] integer pointer_bytes() const {
    return (elements_ * static_cast<integer>(sizeof(std::byte*)) + 63) / 64 * 64;
  }

  static lane_range lanes_of(const bundle& lines, integer group) {
    return {group * width<T>, std::min(width<T>, lines.lanes - group * width<T>)};
  }

  [[nodiscard]] kernel_buffers<T> space_of(std::byte* scratch, integer group) const {
    kernel_buffers<T> space;
    space.own = reinterpret_cast<T*>(scratch + group * buffer_bytes());
    std::byte* shared = scratch + groups_ * buffer_bytes();
    space.spare = reinterpret_cast<T*>(shared);
    space.rows = reinterpret_cast<std::byte**>(shared + buffer_bytes());
    space.next_rows = reinterpret_cast<std::byte**>(shared + buffer_bytes() + pointer_bytes());
    space.sink_rows = reinterpret_cast<std::byte**>(shared + buffer_bytes() + 2 * pointer_bytes());
    space.nowhere = shared + buffer_bytes() + 3 * pointer_bytes();
    return space;
  }

  integer elements_;
  integer groups_;
  T scale_;
};

/// What is done to the elements of one side of lines in a buffer besides the transform.
template <class T>
class line_edits {
 public:
  explicit line_edits(fused_operations<T> operations) : do_(std::move(operations)) {}

  /// Of lines whose element k lies at places.place(k).
  void operator()(T* at, const slot_map& places) const {
    for (std::size_t k = 0; k < do_.turns.size(); ++k) {
      T* const here = element(at, places.place(static_cast<integer>(k)));
      store_element<T>(turned(load_element<T>(here), static_cast<integer>(k)), here);
    }
    for (integer k = do_.conjugate_from; k < do_.conjugate_end; ++k) {
      T* const here = element(at, places.place(k));
      const auto value = load_element<T>(here);
      store_element<T>({value.re, hn::Neg(value.im)}, here);
    }
  }
  /// Turns rows, which `rows` lists by place, on their way from memory or to it.
  void load_turned(const row_source& from, const slot_map& places, T* to) const {
    for (integer p = 0; p < turned_elements(); ++p) {
      const auto value = load_row<T>(reinterpret_cast<const T*>(from.rows[p]));
      store_element<T>(turned(value, places.place(p)), element(to, p));
      if (from.next == nullptr) continue;
      for (integer offset = 0; offset < 2 * vector_bytes<T>; offset += 64) {
        __builtin_prefetch(from.next[p] + offset, 0, 2);
      }
    }
  }
  void store_turned(const T* from, std::byte* const* rows, bool stream) const {
    for (integer k = 0; k < turned_elements(); ++k) {
      const auto value = turned(load_element<T>(element(from, k)), k);
      T* const row = reinterpret_cast<T*>(rows[k]);
      if (!stream) {
        store_row<T>(value, row);
      } else if (row != nullptr) {
        stream_row<T>(value, row);
      }
    }
  }

  [[nodiscard]] bool turns() const { return !do_.turns.empty(); }
  [[nodiscard]] bool any() const { return do_.any(); }

 private:
  [[nodiscard]] integer turned_elements() const { return static_cast<integer>(do_.turns.size()); }
  [[nodiscard]] HWY_INLINE complex_vector<T> turned(const complex_vector<T>& value, integer k) const {
    const auto& turn = do_.turns[static_cast<std::size_t>(k)];
    return rotated<T>(value, hn::Set(tag<T>(), turn.real()), hn::Set(tag<T>(), turn.imag()));
  }

  fused_operations<T> do_;
};

/// Lines that all go through buffers: the base of the kernels below.
template <class T>
class buffered_kernel : public grouped_kernel<T> {
 protected:
  buffered_kernel(std::unique_ptr<line_fft<T>> fft, integer least_elements, const line_problem& problem)
      : grouped_kernel<T>(std::max(fft->buffer_elements(), least_elements), problem),
        edit_input_(fused_loading<T>(problem)),
        edit_output_(fused_storing<T>(problem)),
        fft_(std::move(fft)) {}

  [[nodiscard]] const line_fft<T>& fft() const { return *fft_; }

  line_edits<T> edit_input_, edit_output_;

 private:
  std::unique_ptr<line_fft<T>> fft_;
};

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
