// SPDX-License-Identifier: BSD-3-Clause
// Cosine and sine transforms of real lines in buffers, one line to a lane, by complex transforms.
//
// Slots hold one real of every line; a complex element is two of them. Lines come in and go out in an order that makes
// the complex transform as short as it can be without losing digits (w = exp(-i pi / 2n), h = n/2):
//
//   dct2  v = x(0) x(2) ... x(3) x(1) has the spectrum V of a real line; then w^k V(k) is C(k) - i C(n-k), halved.
//   dct3  the same backwards.
//   dct4  x(2j) + i x(n-1-2j), turned before and after a transform of h, is y(2k) - i y(n-1-2k), halved. For odd n:
//         v with the sign of what was odd, turned by exp(-i pi m / n); then exp(-i pi (2k+1) / 4n) V(k).
//   dct1  the real, symmetric line of 2(n-1) has a real spectrum. Shorter ways need sums of differences.
//   dst1  likewise antisymmetric, 2(n+1).
//   dst2, dst3, dst4  dct2 of (-1)^j x(j) backwards, and so on.
//
// Spectra of real lines of even length come from half the length, those of odd length from complex lines.
#if defined(WEFT_LOCAL_SIMD_TRIGONOMETRIC_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_TRIGONOMETRIC_INL_HPP
#undef WEFT_LOCAL_SIMD_TRIGONOMETRIC_INL_HPP
#else
#define WEFT_LOCAL_SIMD_TRIGONOMETRIC_INL_HPP
#endif

#include <algorithm>
#include <memory>
#include <vector>

#include "index/line_kind.hpp"
#include "local/simd/contiguous-inl.hpp"
#include "local/simd/fft-inl.hpp"
#include "local/simd/real-inl.hpp"
#include "local/simd/roots.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

/// Where the elements of a line go in a buffer: any order.
struct slot_table {
  const integer* slots;

  [[nodiscard]] integer slot(integer index) const { return slots[index]; }
};

template <class T>
class trigonometric_lines {
 public:
  /// `kind` is one of real elements.
  trigonometric_lines(line_kind kind, integer length)
      : kind_(type_of(kind)), sine_(kind_ != kind), n_(length), half_(length / 2), even_(length % 2 == 0) {
    integer points = even_ ? half_ : n_;
    if (kind_ == line_kind::dct1) points = sine_ ? n_ + 1 : n_ - 1;
    points_ = points;
    fft_ = make_fft<T>(points, false, false);
    place_elements();
    make_roots();
  }

  /// Complex elements of each of the two buffers.
  [[nodiscard]] integer buffer_elements() const { return std::max(fft_->buffer_elements(), points_ + 1); }

  /// Lines are put where inlet() says, in the order of slots_in(); transform() leaves them in `own`, in the order of
  /// slots_out().
  [[nodiscard]] T* inlet(T* own, T* spare) const {
    T* const entry = fft_->entry(own, spare);
    if (kind_ == line_kind::dct3 && even_) return entry == own ? spare : own;
    return entry;
  }
  [[nodiscard]] slot_table slots_in() const { return {in_.data()}; }
  [[nodiscard]] slot_table slots_out() const { return {out_.data()}; }

  void transform(T* own, T* spare, T scale) const {
    T* const entry = fft_->entry(own, spare);
    switch (kind_) {
      case line_kind::dct1: return extended(entry, own, spare, scale);
      case line_kind::dct2: return second(entry, own, spare, scale);
      case line_kind::dct3: return third(entry, own, spare, scale);
      default: return fourth(entry, own, spare, scale);
    }
  }

 private:
  static line_kind type_of(line_kind kind) {
    switch (kind) {
      case line_kind::dst1: return line_kind::dct1;
      case line_kind::dst2: return line_kind::dct2;
      case line_kind::dst3: return line_kind::dct3;
      case line_kind::dst4: return line_kind::dct4;
      default: return kind;
    }
  }

  // ---- orders

  /// Where v has x(i).
  [[nodiscard]] integer in_turn(integer i) const { return i % 2 == 0 ? i / 2 : n_ - (i + 1) / 2; }
  /// Of v the elements from here on were odd.
  [[nodiscard]] integer first_odd() const { return (n_ + 1) / 2; }
  /// Coefficients k and n-k together.
  [[nodiscard]] integer in_pairs(integer i) const { return i <= half_ ? 2 * i : 2 * (n_ - i) + 1; }

  void place_elements() {
    for (integer i = 0; i < n_; ++i) {
      const integer mirror = sine_ ? n_ - 1 - i : i;
      switch (kind_) {
        case line_kind::dct1:
          in_.push_back(sine_ ? i + 1 : i);
          out_.push_back(2 * (sine_ ? i + 1 : i));
          break;
        case line_kind::dct2:
          in_.push_back(even_ ? in_turn(i) : 2 * in_turn(i));
          out_.push_back(in_pairs(mirror));
          break;
        case line_kind::dct3:
          in_.push_back(in_pairs(mirror));
          out_.push_back(even_ ? in_turn(i) : 2 * in_turn(i));
          break;
        default:
          if (even_) {
            in_.push_back(mirror % 2 == 0 ? mirror : n_ - mirror);
            out_.push_back(i % 2 == 0 ? i : n_ - i);
          } else {
            in_.push_back(2 * in_turn(mirror));
            out_.push_back(i <= half_ ? 2 * i : 2 * (n_ - 1 - i) + 1);
          }
      }
    }
  }

  // ---- tables

  /// sign * exp(-2 pi i numerator/denominator).
  static void append(std::vector<T>& table, integer numerator, integer denominator, int sign = 1) {
    const unit_root r = root_of_unity(numerator % denominator, denominator);
    table.push_back(static_cast<T>(sign * r.cosine));
    table.push_back(static_cast<T>(-sign * r.sine));
  }

  void make_roots() {
    switch (kind_) {
      case line_kind::dct1: roots_ = roots_of_unity<T>(2 * points_, points_ / 2 + 1); break;
      case line_kind::dct2:
      case line_kind::dct3:
        if (even_) roots_ = roots_of_unity<T>(n_, half_ / 2 + 1);
        turns_ = roots_of_unity<T>(4 * n_, half_ + 1);
        break;
      default:
        for (integer k = 0; k < points_; ++k) {
          if (even_) {
            append(turns_, 8 * k + 1, 16 * n_);
          } else {
            append(roots_, k, 2 * n_, k < first_odd() ? 1 : -1);
            append(turns_, 2 * k + 1, 8 * n_, sine_ && k % 2 == 1 ? -1 : 1);
          }
        }
    }
  }

  [[nodiscard]] HWY_INLINE complex_vector<T> root(integer k, T sign) const {
    const T* at = roots_.data() + 2 * k;
    return {hn::Set(tag<T>(), at[0]), hn::Set(tag<T>(), sign * at[1])};
  }
  [[nodiscard]] HWY_INLINE complex_vector<T> turned(const complex_vector<T>& value, integer k) const {
    return rotated<T>(value, turns_.data() + 2 * k);
  }
  static HWY_INLINE complex_vector<T> conjugate(const complex_vector<T>& value) {
    return {value.re, hn::Neg(value.im)};
  }
  static HWY_INLINE T* slot(T* at, integer number) { return at + number * width<T>; }
  static HWY_INLINE real_vector<T> load_slot(const T* at, integer number) {
    return hn::Load(tag<T>(), at + number * width<T>);
  }
  static HWY_INLINE void store_slot(real_vector<T> value, T* at, integer number) {
    hn::Store(value, tag<T>(), slot(at, number));
  }

  /// Slots begin, begin + step, ... below end.
  static void negate(T* at, integer begin, integer end, integer step) {
    for (integer s = begin; s < end; s += step) store_slot(hn::Neg(load_slot(at, s)), at, s);
  }
  /// Those that hold what was odd.
  void negate_odd(T* at) const {
    if (even_) {
      negate(at, first_odd(), n_, 1);
    } else {
      negate(at, 2 * first_odd(), 2 * n_, 2);
    }
  }

  // ---- transforms

  void second(T* entry, T* own, T* spare, T scale) const {
    if (sine_) negate_odd(entry);
    if (even_) {
      fft_->transform(own, spare, scale);
      const auto z = load_element<T>(own);
      const auto sum = hn::Add(z.re, z.im);
      const auto difference = hn::Sub(z.re, z.im);
      // w^h is (1 - i)/sqrt 2.
      const auto last = hn::Mul(hn::Set(tag<T>(), 2 * turns_[static_cast<std::size_t>(2 * half_)]), difference);
      store_slot(hn::Add(sum, sum), own, 0);
      store_slot(last, own, 2 * half_);
      for (integer k = 1; 2 * k <= half_; ++k) {
        T* const low = element(own, k);
        T* const high = element(own, half_ - k);
        const auto twice = separate<T>({load_element<T>(low), load_element<T>(high)}, root(k, T{1}));
        store_element<T>(conjugate(turned(twice.low, k)), low);
        store_element<T>(conjugate(turned(twice.high, half_ - k)), high);
      }
    } else {
      for (integer m = 0; m < n_; ++m) store_slot(hn::Zero(tag<T>()), entry, 2 * m + 1);
      fft_->transform(own, spare, 2 * scale);
      for (integer k = 0; k <= half_; ++k) {
        store_element<T>(conjugate(turned(load_element<T>(element(own, k)), k)), element(own, k));
      }
    }
  }

  /// The spectrum of v at k from coefficients k and n-k: their difference, times i for the second, turned by conj w^k.
  [[nodiscard]] HWY_INLINE complex_vector<T> spectrum(const T* from, integer k) const {
    const auto pair = load_element<T>(element(from, k));
    return conjugate(turned(pair, k));
  }

  void third(T* entry, T* own, T* spare, T scale) const {
    if (even_) {
      const T* const from = entry == own ? spare : own;
      const auto first = load_slot(from, 0);
      const auto root_two = hn::Set(tag<T>(), 2 * turns_[static_cast<std::size_t>(2 * half_)]);
      const auto last = hn::Mul(root_two, load_slot(from, 2 * half_));
      store_element<T>({hn::Add(first, last), hn::Sub(first, last)}, entry);
      // A backward transform is a forward one of a reversed line.
      for (integer k = 1; 2 * k <= half_; ++k) {
        const auto z = join<T>({spectrum(from, k), spectrum(from, half_ - k)}, root(k, T{-1}));
        store_element<T>(z.low, element(entry, half_ - k));
        store_element<T>(z.high, element(entry, k));
      }
    } else {
      // The line is real: a forward transform of the conjugate spectrum gives it, too.
      store_slot(hn::Zero(tag<T>()), entry, 1);
      for (integer k = 1; k <= half_; ++k) {
        const auto value = spectrum(entry, k);
        store_element<T>(conjugate(value), element(entry, k));
        store_element<T>(value, element(entry, n_ - k));
      }
    }
    fft_->transform(own, spare, scale);
    if (sine_) negate_odd(own);
  }

  void fourth(T* entry, T* own, T* spare, T scale) const {
    if (even_) {
      for (integer j = 0; j < half_; ++j) {
        store_element<T>(turned(load_element<T>(element(entry, j)), j), element(entry, j));
      }
    } else {
      for (integer m = 0; m < n_; ++m) {
        const auto value = load_slot(entry, 2 * m);
        const auto by = root(m, T{1});
        store_element<T>({hn::Mul(value, by.re), hn::Mul(value, by.im)}, element(entry, m));
      }
    }
    fft_->transform(own, spare, 2 * scale);
    const bool keeps = even_ && sine_;
    for (integer k = 0; 2 * k < n_; ++k) {
      const auto value = turned(load_element<T>(element(own, k)), k);
      store_element<T>(keeps ? value : conjugate(value), element(own, k));
    }
  }

  void extended(T* entry, T* own, T* spare, T scale) const {
    const auto zero = hn::Zero(tag<T>());
    if (sine_) {
      store_slot(zero, entry, 0);
      store_slot(zero, entry, points_);
    }
    for (integer i = 1; i < points_; ++i) {
      const auto value = load_slot(entry, i);
      store_slot(sine_ ? hn::Neg(value) : value, entry, 2 * points_ - i);
    }
    fft_->transform(own, spare, scale / 2);
    const auto z = load_element<T>(own);
    const auto sum = hn::Add(z.re, z.im);
    const auto difference = hn::Sub(z.re, z.im);
    store_slot(hn::Add(sum, sum), own, 0);
    store_slot(hn::Add(difference, difference), own, 2 * points_);
    for (integer k = 1; 2 * k <= points_; ++k) {
      T* const low = element(own, k);
      T* const high = element(own, points_ - k);
      const auto spectrum = separate<T>({load_element<T>(low), load_element<T>(high)}, root(k, T{1}));
      store_slot(sine_ ? hn::Neg(spectrum.low.im) : spectrum.low.re, low, 0);
      store_slot(sine_ ? hn::Neg(spectrum.high.im) : spectrum.high.re, high, 0);
    }
  }

  line_kind kind_;  ///< the cosine transform of the same type
  bool sine_;
  integer n_;
  integer half_;
  bool even_;
  integer points_ = 0;  ///< of the complex transform
  std::unique_ptr<line_fft<T>> fft_;
  std::vector<integer> in_, out_;
  std::vector<T> roots_, turns_;
};

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
