// SPDX-License-Identifier: BSD-3-Clause
// The steps themselves, to be instantiated in files of their own: they are slow to compile.
#if defined(WEFT_LOCAL_SIMD_RADIX_STEPS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_RADIX_STEPS_INL_HPP
#undef WEFT_LOCAL_SIMD_RADIX_STEPS_INL_HPP
#else
#define WEFT_LOCAL_SIMD_RADIX_STEPS_INL_HPP
#endif

#include "local/simd/butterflies-inl.hpp"
#include "local/simd/lines-inl.hpp"
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

template <int Radix, bool Stream, class T>
HWY_INLINE void store_scaled(const complex_vector<T> (&a)[Radix], T scale, std::byte* const* row, integer step) {
  const auto factor = hn::Set(tag<T>(), scale);
  static_for<Radix>([&](auto k) WEFT_LAMBDA {
    if constexpr (Stream) {
      stream_row<T>(scaled<T>(a[k], factor), reinterpret_cast<T*>(*row));
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
                       nullptr};
  if constexpr (suits_lines<T>(Radix)) {
    steps.only_from_rows = &only_step_from_rows<T, Radix>;
    steps.lines = &line_step<T, Radix>;
  }
  return steps;
}

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
