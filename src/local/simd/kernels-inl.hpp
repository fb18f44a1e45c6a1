// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the engine: lines in, transform, lines out.
#if defined(WEFT_LOCAL_SIMD_KERNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_KERNELS_INL_HPP
#undef WEFT_LOCAL_SIMD_KERNELS_INL_HPP
#else
#define WEFT_LOCAL_SIMD_KERNELS_INL_HPP
#endif

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "local/fused.hpp"
#include "local/kernel.hpp"
#include "local/simd/access-inl.hpp"
#include "local/simd/contiguous-inl.hpp"
#include "local/simd/fft-inl.hpp"
#include "local/simd/real-inl.hpp"
#include "local/simd/trigonometric-inl.hpp"
#include "weft/error.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

/// Contiguous lines that are on their way between memory and cache go bundle by bundle, each of which fetches the next.
inline bool stays_in_cache(const line_grid& lines) { return !lines.fetch && !lines.stream; }

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

/// Contiguous lines of a grid by a step that has them one to a lane.
template <class T>
void transform_lines(const line_grid& lines, typename radix_steps<T>::contiguous step, bool backward, const T* roots,
                     T scale) {
  for_each_place(lines.loops, lines.from.address, lines.to.address, [&](const std::byte* from, std::byte* to) {
    step({from, lines.from.lane_stride, to, lines.to.lane_stride, nullptr, 0, lines.lanes, backward, false}, roots,
         scale);
  });
}

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
