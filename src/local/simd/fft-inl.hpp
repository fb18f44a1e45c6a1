// SPDX-License-Identifier: BSD-3-Clause
// Transforms of whole lines in buffers: by radix steps, or for awkward lengths by convolution with a chirp.
#if defined(WEFT_LOCAL_SIMD_FFT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_FFT_INL_HPP
#undef WEFT_LOCAL_SIMD_FFT_INL_HPP
#else
#define WEFT_LOCAL_SIMD_FFT_INL_HPP
#endif

#include <memory>
#include <utility>
#include <vector>

#include "local/simd/plan.hpp"
#include "local/simd/prime-inl.hpp"
#include "local/simd/radix_steps.hpp"
#include "local/simd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

/// Instantiated in the radix_steps_*.cpp files.
template <class T, int Radix>
radix_steps<T> steps_of();

template <class T, std::size_t... I>
radix_steps<T> find_steps(int radix, std::index_sequence<I...>) {
  radix_steps<T> found{};
  ((radix == compiled_radices[I] ? void(found = steps_of<T, compiled_radices[I]>()) : void()), ...);
  return found;
}

/// A transform between two buffers of buffer_elements() each. Lines are put where entry() says, and
/// transform() leaves the result in `own`; `spare` is clobbered. A backward transform wants its input in
/// reversed order, but for blocks of kept_order() elements, which stay as they are inside.
template <class T>
class line_fft {
 public:
  virtual ~line_fft() = default;
  [[nodiscard]] virtual integer buffer_elements() const = 0;
  [[nodiscard]] virtual T* entry(T* own, T* spare) const = 0;
  virtual void transform(T* own, T* spare, T scale) const = 0;
  [[nodiscard]] virtual integer kept_order() const { return 1; }
  /// The kernels of the only step; null if there are more, or none compiled.
  [[nodiscard]] virtual const radix_steps<T>* only_step() const { return nullptr; }
};

/// Whether the buffers of a radix_fft may be padded between steps. The result of transform() never is, but
/// with padding it cannot take the place of the data before the last step: use front() and back().
enum class padding : char { none, allowed };

/// Radix steps only, of one line or of several together, their elements in turn. front() does all but the last, from an
/// entry or straight from rows; back() the last.
template <class T>
class radix_fft final : public line_fft<T> {
 public:
  explicit radix_fft(const std::vector<int>& radices, padding pad = padding::none, integer together = 1)
      : length_(together),
        plans_(plan_steps<T>(radices, together,
                             pad == padding::none ? 0 : 2 * width<T> * static_cast<integer>(sizeof(T)))) {
    for (const step_plan<T>& plan : plans_) {
      length_ *= plan.radix;
      if (is_compiled(plan.radix)) {
        steps_.push_back({find_steps<T>(plan.radix, std::make_index_sequence<std::size(compiled_radices)>{}), {}});
      } else {
        steps_.push_back({{}, prime_step<T>(plan.radix)});
      }
    }
  }

  [[nodiscard]] integer buffer_elements() const override { return length_ + largest_padding; }

  [[nodiscard]] T* entry(T* own, T* spare) const override {
    return !plans_.empty() && plans_.size() % 2 == 0 ? spare : own;
  }

  void transform(T* own, T* spare, T scale) const override {
    front(own, spare);
    back(own, own, scale);
  }

  /// Where front() finds lines.
  [[nodiscard]] T* front_entry(T* own, T* spare) const { return entry(own, spare); }

  void front(T* own, T* spare) const { continue_from(0, entry(own, spare), entry(spare, own)); }

  /// Without padding, `to` may be `own`.
  void back(const T* own, T* to, T scale) const {
    if (plans_.empty()) {
      const auto factor = hn::Set(tag<T>(), scale);
      store_element<T>(scaled<T>(load_element<T>(own), factor), to);
    } else if (const step& last = steps_.back(); last.kernels.last != nullptr) {
      last.kernels.last(own, to, plans_.back().shape, scale);
    } else {
      last.prime.last(own, to, plans_.back().shape.stride, scale);
    }
  }

  [[nodiscard]] std::size_t steps() const { return steps_.size(); }

  /// Whether the first step can load rows, the last store them, and one step do both.
  [[nodiscard]] bool loads_rows() const { return steps_.size() > 1 && steps_.front().kernels.inner != nullptr; }
  [[nodiscard]] bool stores_rows() const { return !steps_.empty() && steps_.back().kernels.last != nullptr; }
  [[nodiscard]] bool one_step() const { return steps_.size() == 1 && stores_rows(); }

  [[nodiscard]] const radix_steps<T>* only_step() const override {
    return one_step() ? &steps_.front().kernels : nullptr;
  }

  void front(const row_source& from, T* own, T* spare) const {
    const step_plan<T>& plan = plans_.front();
    T* out = entry(spare, own);
    const radix_steps<T>& kernels = steps_.front().kernels;
    (plan.shape.stride == 1 ? kernels.first_from_rows : kernels.first_together)(from, out, plan.shape,
                                                                                plan.roots.data());
    continue_from(1, out, entry(own, spare));
  }

  /// All steps without scaling, from rows into `own`, of lines as contiguous_fft wants them.
  void all_from_rows(const row_source& from, T* own, T* spare) const {
    if (const radix_steps<T>* only = only_step()) {
      only->only_from_rows(from, own, plans_.front().shape.stride);
    } else {
      front(from, own, spare);
      back(own, own, T{1});
    }
  }

  /// Streaming goes past the caches and wants rows aligned to vectors.
  void back(const T* own, const row_sink& to, bool stream, T scale) const {
    const radix_steps<T>& kernels = steps_.back().kernels;
    (stream ? kernels.last_streamed : kernels.last_to_rows)(own, to, plans_.back().shape, scale);
  }

  void whole(const row_source& from, const row_sink& to, T scale) const {
    steps_.front().kernels.only(from, to, scale);
  }

 private:
  struct step {
    radix_steps<T> kernels{};
    prime_step<T> prime;
  };

  void continue_from(std::size_t first, T* in, T* out) const {
    for (std::size_t i = first; i + 1 < plans_.size(); ++i) {
      const step_plan<T>& plan = plans_[i];
      if (steps_[i].kernels.inner != nullptr) {
        steps_[i].kernels.inner(in, out, plan.shape, plan.roots.data());
      } else {
        steps_[i].prime.inner(in, out, plan.shape.groups, plan.shape.stride, plan.roots.data());
      }
      std::swap(in, out);
    }
  }

  integer length_;  ///< of all lines
  std::vector<step_plan<T>> plans_;
  std::vector<step> steps_;
};

/// Bluestein: jk = (j^2 + k^2 - (k-j)^2) / 2 makes the transform a convolution, done by steps of a
/// longer, convenient length.
template <class T>
class chirp_fft final : public line_fft<T> {
 public:
  explicit chirp_fft(integer length)
      : length_(length),
        padded_(padded_length(2 * length - 1)),
        tables_(plan_chirp<T>(length, padded_)),
        convolution_(factorise(padded_).radices) {}

  [[nodiscard]] integer buffer_elements() const override { return padded_; }
  [[nodiscard]] T* entry(T* own, T* spare) const override { return convolution_.entry(own, spare); }

  void transform(T* own, T* spare, T scale) const override {
    T* in = entry(own, spare);
    multiply_by_chirp(in, T{1});
    for (integer j = length_; j < padded_; ++j) {
      store_element<T>({hn::Zero(tag<T>()), hn::Zero(tag<T>())}, element(in, j));
    }
    convolution_.transform(own, spare, T{1});
    multiply_by_spectrum(own, in);
    convolution_.transform(own, spare, T{1});
    multiply_by_chirp(own, scale);
  }

 private:
  void multiply_by_chirp(T* at, T scale) const {
    const auto factor = hn::Set(tag<T>(), scale);
    for (integer j = 0; j < length_; ++j) {
      const auto product = rotated<T>(load_element<T>(element(at, j)), tables_.chirp.data() + 2 * j);
      store_element<T>(scaled<T>(product, factor), element(at, j));
    }
  }

  /// Writes in reversed order, which makes the second transform a backward one. `to` may be `from`.
  void multiply_by_spectrum(const T* from, T* to) const {
    const T* spectrum = tables_.spectrum.data();
    for (integer k = 0; 2 * k <= padded_; ++k) {
      const integer mirror = k == 0 ? 0 : padded_ - k;
      const auto low = rotated<T>(load_element<T>(element(from, k)), spectrum + 2 * k);
      const auto high = rotated<T>(load_element<T>(element(from, mirror)), spectrum + 2 * mirror);
      store_element<T>(high, element(to, k));
      store_element<T>(low, element(to, mirror));
    }
  }

  integer length_;
  integer padded_;
  chirp_tables<T> tables_;
  radix_fft<T> convolution_;
};

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
