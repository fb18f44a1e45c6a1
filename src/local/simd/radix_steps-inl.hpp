// SPDX-License-Identifier: BSD-3-Clause
// The steps themselves, to be instantiated in files of their own: they are slow to compile.
#if defined(WEFT_LOCAL_SIMD_RADIX_STEPS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_RADIX_STEPS_INL_HPP
#undef WEFT_LOCAL_SIMD_RADIX_STEPS_INL_HPP
#else
#define WEFT_LOCAL_SIMD_RADIX_STEPS_INL_HPP
#endif

#include <algorithm>

#include "local/simd/butterflies-inl.hpp"
#include "local/simd/lines-inl.hpp"
#include "local/simd/mirrored-inl.hpp"
#include "local/simd/radix_steps.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

/// Fetches rows first + k * step, Begin <= k < End, into the second-level cache.
template <int Begin, int End, class T>
HWY_INLINE void prefetch_rows(const std::byte* const* rows, integer first, integer step) {
  rows += first + Begin * step;
  static_for<End - Begin>([&](auto) WEFT_LAMBDA {
    for (integer offset = 0; offset < 2 * width<T>; offset += 64 / static_cast<integer>(sizeof(T))) {
      __builtin_prefetch(*rows + offset * static_cast<integer>(sizeof(T)), 0, 2);
    }
    rows += step;
  });
}

// Addresses advance by addition: products k * step would be kept in registers that the loops lack.

template <int Radix, class T>
HWY_INLINE void load_butterfly(const row_source& from, integer first, integer step, complex_vector<T> (&a)[Radix]) {
  const std::byte* const* row = from.rows + first;
  static_for<Radix>([&](auto k) WEFT_LAMBDA {
    a[k] = load_row<T>(reinterpret_cast<const T*>(*row));
    row += step;
  });
  // Stores that miss the caches would fill the store queue: where they go is fetched during the first step.
  if (from.sink != nullptr) prefetch_rows<0, Radix, T>(from.sink, first, step);
  // Half of the next rows are left to the last step, so that memory is kept busy all the time.
  if (from.next != nullptr) {
    prefetch_rows<0, (Radix + 1) / 2, T>(from.next, first, step);
    if (from.fetch_all) prefetch_rows<(Radix + 1) / 2, Radix, T>(from.next, first, step);
  }
}

template <int Radix, class T>
HWY_INLINE void load_butterfly(const T* in, integer step, complex_vector<T> (&a)[Radix]) {
  static_for<Radix>([&](auto k) WEFT_LAMBDA {
    a[k] = load_element<T>(in);
    in = element(in, step);
  });
}

template <int Radix, class T>
HWY_INLINE void store_rotated(const complex_vector<T> (&a)[Radix], const T* roots, T* out, integer step) {
  store_element<T>(a[0], out);
  static_for<Radix - 1>([&](auto k) WEFT_LAMBDA {
    out = element(out, step);
    store_element<T>(rotated<T>(a[k + 1], roots + 2 * k), out);
  });
}

/// Streamed rows may be null, and are then not stored: past the caches, stores to one place over and over take longer
/// than all the others.
template <int Radix, bool Stream, class T>
HWY_INLINE void store_scaled(const complex_vector<T> (&a)[Radix], T scale, std::byte* const* row, integer step) {
  const auto factor = hn::Set(tag<T>(), scale);
  static_for<Radix>([&](auto k) WEFT_LAMBDA {
    if constexpr (Stream) {
      if (*row != nullptr) stream_row<T>(scaled<T>(a[k], factor), reinterpret_cast<T*>(*row));
    } else {
      store_row<T>(scaled<T>(a[k], factor), reinterpret_cast<T*>(*row));
    }
    row += step;
  });
}

/// Walks over the output of a step, group by group.
template <class T, int Radix>
struct group_cursor {
  T* at;
  const step_shape& shape;
  integer left = shape.block_groups;

  HWY_INLINE void advance() {
    at = element(at, shape.stride * Radix);
    if (--left == 0) {
      at = element(at, shape.out_padding);
      left = shape.block_groups;
    }
  }
};

template <class T, int Radix>
HWY_NOINLINE void inner_step(const T* in, T* out, const step_shape& shape, const T* roots) {
  group_cursor<T, Radix> to{out, shape};
  const integer stride = shape.stride;
  const integer in_distance = shape.in_distance;
  for (integer p = 0; p < shape.groups; ++p, roots += 2 * (Radix - 1), to.advance()) {
    for (integer q = 0; q < stride; ++q) {
      complex_vector<T> a[Radix];
      load_butterfly<Radix, T>(element(in, q + stride * p), in_distance, a);
      dft<Radix, T>(a);
      store_rotated<Radix, T>(a, roots, element(to.at, q), stride);
    }
  }
}

template <class T, int Radix>
HWY_NOINLINE void last_step(const T* in, T* out, const step_shape& shape, T scale) {
  const auto factor = hn::Set(tag<T>(), scale);
  const integer stride = shape.stride;
  const integer in_distance = shape.in_distance;
  for (integer q = 0; q < stride; ++q) {
    complex_vector<T> a[Radix];
    load_butterfly<Radix, T>(element(in, q), in_distance, a);
    dft<Radix, T>(a);
    T* to = element(out, q);
    static_for<Radix>([&](auto k) WEFT_LAMBDA {
      store_element<T>(scaled<T>(a[k], factor), to);
      to = element(to, stride);
    });
  }
}

template <class T, int Radix>
HWY_NOINLINE void first_step_from_rows(const row_source& from, T* out, const step_shape& shape, const T* roots) {
  group_cursor<T, Radix> to{out, shape};
  const integer groups = shape.groups;
  for (integer p = 0; p < groups; ++p, roots += 2 * (Radix - 1), to.advance()) {
    complex_vector<T> a[Radix];
    load_butterfly<Radix, T>(from, p, groups, a);
    dft<Radix, T>(a);
    store_rotated<Radix, T>(a, roots, to.at, 1);
  }
}

/// The same for lines together. (A loop too many costs the other one registers.)
template <class T, int Radix>
HWY_NOINLINE void first_step_together(const row_source& from, T* out, const step_shape& shape, const T* roots) {
  const integer stride = shape.stride;
  for (integer p = 0; p < shape.groups; ++p, roots += 2 * (Radix - 1), out = element(out, stride * Radix)) {
    for (integer q = 0; q < stride; ++q) {
      complex_vector<T> a[Radix];
      load_butterfly<Radix, T>(from, q + stride * p, shape.in_distance, a);
      dft<Radix, T>(a);
      store_rotated<Radix, T>(a, roots, element(out, q), stride);
    }
  }
}

template <class T, int Radix>
HWY_NOINLINE void only_step_from_rows(const row_source& from, T* out, integer stride) {
  for (integer q = 0; q < stride; ++q) {
    complex_vector<T> a[Radix];
    load_butterfly<Radix, T>(from, q, stride, a);
    dft<Radix, T>(a);
    T* to = element(out, q);
    static_for<Radix>([&](auto k) WEFT_LAMBDA {
      store_element<T>(a[k], to);
      to = element(to, stride);
    });
  }
}

template <class T, int Radix, bool Stream>
HWY_NOINLINE void last_step_to_rows(const T* in, const row_sink& to, const step_shape& shape, T scale) {
  const integer stride = shape.stride;
  const integer in_distance = shape.in_distance;
  for (integer q = 0; q < stride; ++q) {
    complex_vector<T> a[Radix];
    load_butterfly<Radix, T>(element(in, q), in_distance, a);
    dft<Radix, T>(a);
    store_scaled<Radix, Stream, T>(a, scale, to.rows + q, stride);
    if (to.next != nullptr) prefetch_rows<Radix / 2, Radix, T>(to.next, q, stride);
  }
}

template <class T, int Radix>
HWY_NOINLINE void only_step(const row_source& from, const row_sink& to, T scale) {
  complex_vector<T> a[Radix];
  load_butterfly<Radix, T>(from, 0, 1, a);
  dft<Radix, T>(a);
  store_scaled<Radix, false, T>(a, scale, to.rows, 1);
}

// Lines of one step in many: the addresses of rows follow from a few numbers, so that none are listed.

template <bool Stream, int Radix, class T>
HWY_INLINE void transform_rows(const row_batch& lines, const std::byte* from, std::byte* to, T scale) {
  complex_vector<T> a[Radix];
  a[0] = load_row<T>(reinterpret_cast<const T*>(from));
  // Backward, -k takes the place of k, which turns a forward transform into a backward one.
  const integer step = lines.backward ? -lines.from_stride : lines.from_stride;
  if (lines.backward) from += Radix * lines.from_stride;
  static_for<Radix - 1>([&](auto k) WEFT_LAMBDA {
    from += step;
    a[k + 1] = load_row<T>(reinterpret_cast<const T*>(from));
  });
  dft<Radix, T>(a);
  const auto factor = hn::Set(tag<T>(), scale);
  static_for<Radix>([&](auto k) WEFT_LAMBDA {
    if constexpr (Stream) {
      stream_row<T>(scaled<T>(a[k], factor), reinterpret_cast<T*>(to));
    } else {
      store_row<T>(scaled<T>(a[k], factor), reinterpret_cast<T*>(to));
    }
    to += lines.to_stride;
  });
}

template <int Radix, class T>
HWY_INLINE void transform_parts_of_rows(const row_batch& lines, const std::byte* from, std::byte* to, integer lanes,
                                        T scale) {
  const row_mask<T> mask(2 * lanes);
  complex_vector<T> a[Radix];
  a[0] = load_row<T>(reinterpret_cast<const T*>(from), mask);
  const integer step = lines.backward ? -lines.from_stride : lines.from_stride;
  if (lines.backward) from += Radix * lines.from_stride;
  static_for<Radix - 1>([&](auto k) WEFT_LAMBDA {
    from += step;
    a[k + 1] = load_row<T>(reinterpret_cast<const T*>(from), mask);
  });
  dft<Radix, T>(a);
  const auto factor = hn::Set(tag<T>(), scale);
  static_for<Radix>([&](auto k) WEFT_LAMBDA {
    store_row<T>(scaled<T>(a[k], factor), reinterpret_cast<T*>(to), mask);
    to += lines.to_stride;
  });
}

/// All lanes of a vector are loaded before they are stored.
template <class T, int Radix>
HWY_NOINLINE void row_step(const row_batch& lines, T scale) {
  constexpr integer row_bytes = 2 * width<T> * static_cast<integer>(sizeof(T));
  const std::byte* from = lines.from;
  std::byte* to = lines.to;
  integer left = lines.lanes;
  for (; left >= width<T>; left -= width<T>, from += row_bytes, to += row_bytes) {
    if (lines.fetch) {
      const std::byte* ahead = from + row_bytes;
      static_for<Radix>([&](auto) WEFT_LAMBDA {
        for (integer offset = 0; offset < row_bytes; offset += 64) __builtin_prefetch(ahead + offset, 0, 2);
        ahead += lines.from_stride;
      });
    }
    if (lines.stream) {
      transform_rows<true, Radix, T>(lines, from, to, scale);
    } else {
      transform_rows<false, Radix, T>(lines, from, to, scale);
    }
  }
  if (left > 0) transform_parts_of_rows<Radix, T>(lines, from, to, left, scale);
}

/// A vector of contiguous lines, one to a lane, from memory and back: transposed by tiles, of which the last may
/// overlap its predecessor. Missing lines repeat the last.
template <class T, int Length>
HWY_INLINE void load_across(const line_batch& lines, integer first, integer count, complex_vector<T> (&a)[Length]) {
  constexpr int half = static_cast<int>(half_width<T>);
  static_for<(Length + half - 1) / half>([&](auto t) WEFT_LAMBDA {
    constexpr int start = t * half < Length - half ? t * half : Length - half;
    real_vector<T> re[half];
    real_vector<T> im[half];
    const auto line = [&](integer l) WEFT_LAMBDA {
      return reinterpret_cast<const T*>(lines.from + (first + (l < count ? l : count - 1)) * lines.from_distance) +
             2 * start;
    };
    load_transposed<T>(line, re, im);
    static_for<half>([&](auto k) WEFT_LAMBDA { a[start + k] = {re[k], im[k]}; });
  });
}
template <class T, int Length>
HWY_INLINE void store_across(const complex_vector<T> (&a)[Length], const line_batch& lines, integer first,
                             integer count) {
  constexpr int half = static_cast<int>(half_width<T>);
  static_for<(Length + half - 1) / half>([&](auto t) WEFT_LAMBDA {
    constexpr int start = t * half < Length - half ? t * half : Length - half;
    real_vector<T> re[half];
    real_vector<T> im[half];
    static_for<half>([&](auto k) WEFT_LAMBDA {
      re[k] = a[start + k].re;
      im[k] = a[start + k].im;
    });
    transpose_back<T>(re, im);
    const auto line = [&](integer l) WEFT_LAMBDA {
      return reinterpret_cast<T*>(lines.to + (first + l) * lines.to_distance) + 2 * start;
    };
    static_for<half>([&](auto k) WEFT_LAMBDA {
      if (k < count) hn::StoreU(re[k], tag<T>(), line(k));
      if (k + half < count) hn::StoreU(im[k], tag<T>(), line(k + half));
    });
  });
}

template <int Radix, class T>
HWY_INLINE void scale_all(complex_vector<T> (&a)[Radix], T scale) {
  const auto factor = hn::Set(tag<T>(), scale);
  static_for<Radix>([&](auto k) WEFT_LAMBDA { a[k] = scaled<T>(a[k], factor); });
}

/// -k in place of k.
template <int Radix, class T>
HWY_INLINE void reverse(complex_vector<T> (&a)[Radix]) {
  static_for<(Radix - 1) / 2>([&](auto k) WEFT_LAMBDA {
    const complex_vector<T> low = a[k + 1];
    a[k + 1] = a[Radix - 1 - k];
    a[Radix - 1 - k] = low;
  });
}

template <class T, class Body>
HWY_INLINE void for_each_vector(const line_batch& lines, const Body& body) {
  for (integer first = 0; first < lines.count; first += width<T>) {
    body(first, std::min<integer>(width<T>, lines.count - first));
  }
}

/// Contiguous lines of `Radix` elements.
template <class T, int Radix>
HWY_NOINLINE void across_step(const line_batch& lines, const T*, T scale) {
  for_each_vector<T>(lines, [&](integer first, integer count) WEFT_LAMBDA {
    complex_vector<T> a[Radix];
    load_across<T>(lines, first, count, a);
    if (lines.backward) reverse<Radix, T>(a);
    dft<Radix, T>(a);
    scale_all<Radix, T>(a, scale);
    store_across<T>(a, lines, first, count);
  });
}

/// Contiguous real lines of twice as many, to Radix + 1 modes. Roots are exp(-pi i k / Radix).
template <class T, int Radix>
HWY_NOINLINE void real_step(const line_batch& lines, const T* roots, T scale) {
  const auto zero = hn::Zero(tag<T>());
  for_each_vector<T>(lines, [&](integer first, integer count) WEFT_LAMBDA {
    complex_vector<T> z[Radix];
    load_across<T>(lines, first, count, z);
    dft<Radix, T>(z);
    scale_all<Radix, T>(z, scale / 2);
    complex_vector<T> x[Radix + 1];
    const auto sum = hn::Add(z[0].re, z[0].im);
    const auto difference = hn::Sub(z[0].re, z[0].im);
    x[0] = {hn::Add(sum, sum), zero};
    x[Radix] = {hn::Add(difference, difference), zero};
    static_for<Radix / 2>([&](auto i) WEFT_LAMBDA {
      constexpr int k = i + 1;
      const T* root = roots + 2 * k;
      const auto spectrum = separate<T>({z[k], z[Radix - k]}, {hn::Set(tag<T>(), root[0]), hn::Set(tag<T>(), root[1])});
      x[k] = spectrum.low;
      x[Radix - k] = spectrum.high;
    });
    store_across<T>(x, lines, first, count);
  });
}

/// And back. Imaginary parts of the first and the last element count as zero.
template <class T, int Radix>
HWY_NOINLINE void real_back_step(const line_batch& lines, const T* roots, T scale) {
  for_each_vector<T>(lines, [&](integer first, integer count) WEFT_LAMBDA {
    complex_vector<T> x[Radix + 1];
    load_across<T>(lines, first, count, x);
    complex_vector<T> z[Radix];
    z[0] = {hn::Add(x[0].re, x[Radix].re), hn::Sub(x[0].re, x[Radix].re)};
    static_for<Radix / 2>([&](auto i) WEFT_LAMBDA {
      constexpr int k = i + 1;
      const T* root = roots + 2 * k;
      const auto pair = join<T>({x[k], x[Radix - k]}, {hn::Set(tag<T>(), root[0]), hn::Set(tag<T>(), -root[1])});
      z[Radix - k] = pair.low;  // reversed
      z[k] = pair.high;
    });
    dft<Radix, T>(z);
    scale_all<Radix, T>(z, scale);
    store_across<T>(z, lines, first, count);
  });
}

template <class T, int Radix>
radix_steps<T> steps_of() {
  radix_steps<T> steps{&inner_step<T, Radix>,
                       &last_step<T, Radix>,
                       &first_step_from_rows<T, Radix>,
                       &first_step_together<T, Radix>,
                       &last_step_to_rows<T, Radix, false>,
                       &last_step_to_rows<T, Radix, true>,
                       &only_step<T, Radix>,
                       nullptr,
                       {},
                       nullptr,
                       nullptr};
  if constexpr (has_partial_vectors) {
    steps.rows = &row_step<T, Radix>;
    if constexpr (Radix >= half_width<T>) {
      steps.across = {&across_step<T, Radix>, &real_step<T, Radix>, &real_back_step<T, Radix>};
    }
  }
  if constexpr (suits_lines<T>(Radix)) {
    steps.only_from_rows = &only_step_from_rows<T, Radix>;
    steps.lines = &line_step<T, Radix>;
  }
  return steps;
}

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
