// SPDX-License-Identifier: BSD-3-Clause
// Kernels of complex lines.
#if defined(WEFT_LOCAL_SIMD_COMPLEX_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_COMPLEX_KERNELS_INL_HPP
#undef WEFT_LOCAL_SIMD_COMPLEX_KERNELS_INL_HPP
#else
#define WEFT_LOCAL_SIMD_COMPLEX_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "local/simd/contiguous-inl.hpp"
#include "local/simd/fft-inl.hpp"
#include "local/simd/grouped_kernel-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

/// Complex lines of a length that factorises: the first step loads and the last stores where lanes are
/// adjacent, or a loop with the twiddles does. `Fft` is radix_fft or contiguous_order_fft.
template <class T, class Fft>
class radix_kernel final : public grouped_kernel<T> {
 public:
  radix_kernel(Fft fft, const line_problem& problem)
      : grouped_kernel<T>(fft.buffer_elements(), problem),
        fft_(std::move(fft)),
        length_(problem.length),
        edit_input_(fused_loading<T>(problem)),
        edit_output_(fused_storing<T>(problem)),
        turns_input_(edit_input_.turns()),
        turns_output_(edit_output_.turns()) {
    const bool backward = !row_of(problem.kind).forward;
    if (backward) input_ = {problem.length, fft_.kept_order()};
    if (by_line && !turns_input_ && !turns_output_) by_line_.emplace(problem.length, backward);
  }

 private:
  static constexpr bool by_line = std::is_same_v<Fft, contiguous_order_fft<T>>;
  static constexpr integer complex_bytes = element_bytes<T, element_type::complex>;

  void load(const bundle& from, const lane_range& lanes, T, const kernel_buffers<T>& space) const override {
    T* const entry = fft_.front_entry(space.own, space.spare);
    const bool rows = rows_suit<T>(from.runs, lanes);
    if (rows && fft_.loads_rows() && !turns_input_) {
      fft_.front(source(from, lanes, space), space.own, space.spare);
      return;
    }
    if (rows && turns_input_) {
      edit_input_.load_turned(source(from, lanes, space), input_, entry);
    } else {
      load_input<T>(from, lanes, input_, entry);
      if (turns_input_) edit_input_(entry, input_);
    }
    fft_.front(space.own, space.spare);
  }

  void store(const bundle& to, const lane_range& lanes, T scale, const kernel_buffers<T>& space) const override {
    const bool rows = rows_suit<T>(to.runs, lanes) && (fft_.stores_rows() || turns_output_);
    const bool stream = rows && list_sink_rows(to, lanes, space.nowhere, space.rows);
    if (rows && !turns_output_) {
      fft_.back(space.own, {space.rows}, stream, scale);
      return;
    }
    fft_.back(space.own, space.spare, scale);
    if (rows) {
      edit_output_.store_turned(space.spare, space.rows, stream);
    } else {
      if (turns_output_) edit_output_(space.spare, {});
      store_lines<T, element_type::complex>(to, lanes, {}, space.spare);
    }
  }

  bool transform_at_once(const bundle& from, const bundle& to, T scale, const kernel_buffers<T>& space) const override {
    if (by_line_ && by_line_->can_do(from, to)) {
      by_line_->transform(from, to, scale, {space.own, space.spare, space.rows, space.next_rows});
      return true;
    }
    const lane_range lanes{0, from.lanes};
    if (by_line_ && !rows_suit<T>(from.runs, lanes) && by_line_->can_assemble(from, to)) {
      by_line_->transform_assembled(from, to, scale, {space.own, space.spare, space.rows, space.next_rows});
      return true;
    }
    if (turns_input_ || turns_output_) return false;
    if (!fft_.stores_rows() || !rows_suit<T>(from.runs, lanes) || !rows_suit<T>(to.runs, lanes)) return false;
    if (!fft_.loads_rows() && (!fft_.one_step() || to.stream)) return false;
    row_source rows = source(from, lanes, space);
    const bool stream = list_sink_rows(to, lanes, space.nowhere, space.sink_rows);
    if (fft_.loads_rows()) {
      rows.fetch_all = false;
      if (!stream && from.runs[0].address != to.runs[0].address) rows.sink = space.sink_rows;
      fft_.front(rows, space.own, space.spare);
      fft_.back(space.own, {space.sink_rows, rows.next}, stream, scale);
    } else if constexpr (!by_line) {
      fft_.whole(rows, {space.sink_rows}, scale);
    }
    return true;
  }

  [[nodiscard]] bool takes(const line_grid& lines) const override {
    if (turns_input_ || turns_output_) return false;
    if (by_line_) return has_complex_lines(lines) && stays_in_cache(lines);
    const radix_steps<T>* const step = fft_.only_step();
    if (step == nullptr)
      return has_rows(lines) && has_full_groups(lines) && loads_and_stores_rows() && stays_in_cache(lines);
    if (step->rows == nullptr) return false;
    return has_rows(lines) || (has_complex_lines(lines) && step->across.complex != nullptr && !lines.stream);
  }

  void transform_many(const line_grid& lines, T scale, const kernel_buffers<T>& space) const override {
    if (by_line_) {
      by_line_->transform_many(lines, scale, {space.own, space.spare, space.rows, space.next_rows});
      return;
    }
    if (fft_.only_step() == nullptr) return transform_rows(lines, scale, space);
    const radix_steps<T>& step = *fft_.only_step();
    const bool backward = input_.reversed_period != 0;
    if (!has_rows(lines)) return transform_lines<T>(lines, step.across.complex, backward, nullptr, scale);
    for_each_place(lines.loops, lines.from.address, lines.to.address, [&](const std::byte* from, std::byte* to) {
      step.rows({from, lines.from.stride, to, lines.to.stride, lines.lanes, backward, lines.fetch, lines.stream},
                scale);
    });
  }

  [[nodiscard]] bool loads_and_stores_rows() const { return fft_.loads_rows() && fft_.stores_rows(); }

  /// The last group takes a few lanes of the one before once more, if lines are not stored where others are loaded
  /// from.
  static bool has_full_groups(const line_grid& lines) {
    return lines.lanes >= width<T> && (lines.apart || lines.lanes % width<T> == 0);
  }

  /// Group by group, each a step away from the one before: only the first has its rows listed.
  void transform_rows(const line_grid& lines, T scale, const kernel_buffers<T>& space) const {
    const run from{lines.from.address, 0, 1, length_, lines.from.stride, complex_bytes};
    const run to{lines.to.address, 0, 1, length_, lines.to.stride, complex_bytes};
    std::byte **rows = space.rows, **next = space.next_rows, **const sink_rows = space.sink_rows;
    list_rows<T>({&from, 1}, {0, width<T>}, input_, space.nowhere, rows);
    list_rows<T>({&to, 1}, {0, width<T>}, {}, space.nowhere, sink_rows);
    const std::byte* loaded = nullptr;
    std::byte* stored = to.address;
    const bool near = from.address == to.address;  // what is stored was just loaded
    const auto move = [&](std::byte* const* rows_now, integer by, std::byte** moved) {
      for (integer j = 0; j < length_; ++j) moved[j] = rows_now[j] + by;
    };
    const auto transform_group = [&](std::byte* const* ahead) {
      fft_.front({rows, lines.ahead ? ahead : nullptr, false, near ? nullptr : sink_rows}, space.own, space.spare);
      fft_.back(space.own, {sink_rows, lines.ahead ? ahead : nullptr}, false, scale);
    };
    for_each_place(lines.loops, lines.from.address, lines.to.address, [&](const std::byte* source, std::byte* sink) {
      for (integer lane = 0; lane < lines.lanes; lane += width<T>) {
        const integer offset = std::min(lane, lines.lanes - width<T>) * complex_bytes;
        if (loaded != nullptr) {
          move(rows, source + offset - loaded, next);
          transform_group(next);
          std::swap(rows, next);
          move(sink_rows, sink + offset - stored, sink_rows);
        }
        loaded = source + offset;
        stored = sink + offset;
      }
    });
    transform_group(nullptr);
  }

  static bool has_complex_lines(const line_grid& lines) {
    return lines.from.stride == complex_bytes && lines.to.stride == complex_bytes;
  }
  static bool has_rows(const line_grid& lines) {
    return lines.from.lane_stride == complex_bytes && lines.to.lane_stride == complex_bytes;
  }

  row_source source(const bundle& from, const lane_range& lanes, const kernel_buffers<T>& space) const {
    store_element<T>({hn::Zero(tag<T>()), hn::Zero(tag<T>())}, reinterpret_cast<T*>(space.nowhere));
    list_rows<T>(from.runs, lanes, input_, space.nowhere, space.rows);
    if (from.next.empty() || !rows_suit<T>(from.next, lanes)) return {space.rows, nullptr};
    list_rows<T>(from.next, lanes, input_, space.nowhere, space.next_rows);
    return {space.rows, space.next_rows};
  }

  /// Whether rows go past the caches: those that are not wanted are then null, otherwise they are `nowhere`.
  static bool list_sink_rows(const bundle& to, const lane_range& lanes, std::byte* nowhere, std::byte** rows) {
    if (to.stream && list_rows<T>(to.runs, lanes, {}, nullptr, rows)) return true;
    list_rows<T>(to.runs, lanes, {}, nowhere, rows);
    return false;
  }

  Fft fft_;
  integer length_;
  line_edits<T> edit_input_, edit_output_;
  bool turns_input_;
  bool turns_output_;
  slot_map input_;
  std::optional<contiguous_fft<T>> by_line_;
};

/// Complex lines of any length, edited or not.
template <class T>
class complex_kernel final : public buffered_kernel<T> {
 public:
  explicit complex_kernel(const line_problem& problem)
      : buffered_kernel<T>(make_fft<T>(problem.length, !row_of(problem.kind).forward, problem.lines_contiguous),
                           problem.length, problem) {
    if (!row_of(problem.kind).forward) input_ = {problem.length, this->fft().kept_order()};
  }

 private:
  void load(const bundle& from, const lane_range& lanes, T scale, const kernel_buffers<T>& space) const override {
    T* const entry = this->fft().entry(space.own, space.spare);
    load_input<T>(from, lanes, input_, entry);
    this->edit_input_(entry, input_);
    this->fft().transform(space.own, space.spare, scale);
    this->edit_output_(space.own, {});
  }
  void store(const bundle& to, const lane_range& lanes, T, const kernel_buffers<T>& space) const override {
    store_lines<T, element_type::complex>(to, lanes, {}, space.own);
  }

  slot_map input_;
};

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
