// SPDX-License-Identifier: BSD-3-Clause
// Real lines that are contiguous in memory, as complex lines of half the length; see mirrored-inl.hpp.
#if defined(WEFT_LOCAL_SIMD_REAL_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_REAL_INL_HPP
#undef WEFT_LOCAL_SIMD_REAL_INL_HPP
#else
#define WEFT_LOCAL_SIMD_REAL_INL_HPP
#endif

#include <algorithm>
#include <vector>

#include "local/simd/contiguous-inl.hpp"
#include "local/simd/mirrored-inl.hpp"
#include "local/simd/plan.hpp"
#include "local/simd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

/// Contiguous real lines, a few at a time.
template <class T>
class contiguous_real_fft {
 public:
  [[nodiscard]] static bool suits(integer length) { return length % 2 == 0 && contiguous_fft<T>::suits(length / 2); }

  contiguous_real_fft(integer length, bool forward) : half_(length / 2), forward_(forward), fft_(half_, !forward) {
    for (integer k = 1; 2 * k <= half_; k += width<T>) append_roots(k);
  }

  [[nodiscard]] bool can_do(const bundle& from, const bundle& to) const {
    const integer real = element_bytes<T, element_type::real>;
    const integer complex = element_bytes<T, element_type::complex>;
    // A spectrum may end early: it is in a buffer then. The real line is transformed where it is.
    return leading_line(from.runs, forward_ ? real : complex) && leading_line(to.runs, forward_ ? complex : real) &&
           (forward_ ? from : to).runs[0].count == 2 * half_ && line_after_line(from, to);
  }

  /// The space needs room for half + 1 elements and as many pointers.
  void transform(const bundle& from, const bundle& to, T scale, const line_space<T>& space) const {
    // A transform leaves most of a buffer free: the complex lines between the steps have room there, and so
    // has a spectrum, if it is to be streamed.
    T* lines = element(space.own, half_ / width<T>);
    T* image = element(space.spare, half_ / width<T>);
    const integer complex = element_bytes<T, element_type::complex>;
    const run inside{reinterpret_cast<std::byte*>(lines), 0, 1, half_, complex, half_ * complex};
    run outside = complex_lines((forward_ ? from : to).runs[0]);
    const bool prefetch = leading_line(from.next, from.runs[0].stride);
    run ahead = prefetch ? complex_lines(from.next[0]) : run{};
    const std::span<const run> next(&ahead, prefetch ? 1 : 0);
    // Several lines, a multiple of a block: the second step reads across the vectors that the first stored,
    // which is slow while they are still on their way to the cache.
    const integer most = std::max(fft_.block(), half_width<T>);
    for (integer lane = 0; lane < from.lanes; lane += most) {
      const auto count = static_cast<int>(std::min<integer>(most, from.lanes - lane));
      if (forward_) {
        fft_.transform({{&outside, 1}, count, next}, {{&inside, 1}, count}, scale / 2, space);
        for (integer i = 0; i < count; ++i) {
          T* target = line_of(to, lane + i);
          const integer kept = 2 * to.runs[0].count;
          const bool whole = kept == 2 * half_ + 2;
          separate_line(lines + 2 * i * half_, to.stream || !whole ? image : target);
          if (to.stream) {
            stream_copy(image, target, kept);
          } else if (!whole) {
            std::copy_n(image, kept, target);
          }
        }
      } else {
        const integer kept = 2 * from.runs[0].count;
        if (kept < 2 * half_ + 2) std::fill_n(image + kept, 2 * half_ + 2 - kept, T{0});
        for (integer i = 0; i < count; ++i) {
          const T* source = line_of(from, lane + i);
          if (kept < 2 * half_ + 2) source = std::copy_n(source, kept, image) - kept;
          join_line(source, lines + 2 * i * half_);
        }
        fft_.transform({{&inside, 1}, count, next}, {{&outside, 1}, count, {}, to.stream}, scale, space);
      }
      outside.address += most * outside.lane_stride;
      ahead.address += most * ahead.lane_stride;
    }
  }

  /// All lines of a grid that are contiguous on either side.
  void transform_many(const line_grid& lines, T scale, const line_space<T>& space) const {
    const integer in = forward_ ? 2 * half_ : half_ + 1, out = forward_ ? half_ + 1 : 2 * half_;
    transform_places(lines, in, out, [&](const bundle& from, const bundle& to) { transform(from, to, scale, space); });
  }

 private:
  /// A line without gaps, from its start on; there may be nothing behind it.
  static bool leading_line(std::span<const run> runs, integer bytes) {
    const bool only = runs.size() == 1 || (runs.size() == 2 && runs[1].address == nullptr);
    return only && runs[0].address != nullptr && runs[0].first == 0 && runs[0].step == 1 && runs[0].stride == bytes;
  }

  static T* line_of(const bundle& lines, integer lane) {
    return reinterpret_cast<T*>(lines.runs[0].address + lane * lines.runs[0].lane_stride);
  }

  /// Lines of `half` complex elements that start where those of `of` do.
  [[nodiscard]] run complex_lines(const run& of) const {
    return {of.address, 0, 1, half_, element_bytes<T, element_type::complex>, of.lane_stride};
  }

  void append_roots(integer start) {
    const std::size_t at = roots_.size();
    roots_.resize(at + static_cast<std::size_t>(2 * width<T>));
    for (integer k = 0; k < width<T>; ++k) {
      const unit_root root = root_of_unity(start + k, 2 * half_);
      T* lane = roots_.data() + at + lane_of<T>(k);
      lane[0] = static_cast<T>(root.cosine);
      lane[width<T>] = static_cast<T>(forward_ ? -root.sine : root.sine);
    }
  }

  static HWY_INLINE complex_vector<T> reversed(const complex_vector<T>& value) {
    return {hn::Reverse(tag<T>(), value.re), hn::Reverse(tag<T>(), value.im)};
  }

  /// Applies `step` to all pairs k, h-k with 0 < k < h. In lane order, too, the mirror image of a vector
  /// is its reverse. A block in the middle of the line may meet itself: each of its elements is then stored
  /// as the k or as the h-k that it would be without blocks, because signs of zeros may differ.
  template <class Step>
  HWY_INLINE void for_mirrored_rows(const T* in, T* out, const Step& step) const {
    const T* root = roots_.data();
    const auto at = [&](integer k) WEFT_LAMBDA {
      const integer mirror = half_ - k - width<T> + 1;
      const mirrored_pair<T> x{load_row<T>(in + 2 * k), reversed(load_row<T>(in + 2 * mirror))};
      mirrored_pair<T> y = step(x, {hn::LoadU(tag<T>(), root), hn::LoadU(tag<T>(), root + width<T>)});
      y.high = reversed(y.high);
      root += 2 * width<T>;
      return y;
    };
    integer k = 1;
    for (; 2 * (k + width<T>) <= half_ + 2; k += width<T>) {
      const mirrored_pair<T> y = at(k);
      store_row<T>(y.low, out + 2 * k);
      store_row<T>(y.high, out + 2 * (half_ - k - width<T> + 1));
    }
    if (2 * k <= half_) store_middle(at(k), k, out);
  }

  /// Of the row at k the first half, of its mirror image the second.
  HWY_INLINE void store_middle(mirrored_pair<T> y, integer k, T* out) const {
    pair_lanes<T>(y.low.re, y.low.im);
    pair_lanes<T>(y.high.re, y.high.im);
    hn::StoreU(y.low.re, tag<T>(), out + 2 * k);
    hn::StoreU(y.high.im, tag<T>(), out + 2 * (half_ - k - width<T> + 1) + width<T>);
  }

  void separate_line(const T* z, T* x) const {
    for_mirrored_rows(z, x, [](const mirrored_pair<T>& pair, const complex_vector<T>& root) WEFT_LAMBDA {
      return separate<T>(pair, root);
    });
    x[0] = 2 * (z[0] + z[1]);
    x[1] = 0;
    x[2 * half_] = 2 * (z[0] - z[1]);
    x[2 * half_ + 1] = 0;
  }

  void join_line(const T* x, T* z) const {
    for_mirrored_rows(x, z, [](const mirrored_pair<T>& pair, const complex_vector<T>& root) WEFT_LAMBDA {
      return join<T>(pair, root);
    });
    z[0] = x[0] + x[2 * half_];
    z[1] = x[0] - x[2 * half_];
  }

  integer half_;
  bool forward_;
  contiguous_fft<T> fft_;
  std::vector<T> roots_;  ///< per block of pairs, cosines and sines of the lanes
};

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
