// The passes themselves, to be instantiated in files of their own: they are slow to compile.
#if defined(WEFT_LOCAL_SIMD_PASSES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_PASSES_INL_HPP
#undef WEFT_LOCAL_SIMD_PASSES_INL_HPP
#else
#define WEFT_LOCAL_SIMD_PASSES_INL_HPP
#endif

#include "local/simd/butterflies-inl.hpp"
#include "local/simd/passes.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

HWY_INLINE void prefetch_row(const std::byte* row, std::size_t bytes) {
  for (std::size_t offset = 0; offset < bytes; offset += 64) __builtin_prefetch(row + offset, 0, 2);
}

// Addresses advance by addition: products k * step would be kept in registers that the loops lack.

template <int Radix, class T>
HWY_INLINE void load_butterfly(const row_source& from, integer first, integer step,
                               complex_vector<T> (&a)[Radix]) {
  const std::byte* const* row = from.rows + first;
  static_for<Radix>([&](auto k) WEFT_LAMBDA {
    a[k] = load_row<T>(reinterpret_cast<const T*>(*row));
    row += step;
  });
  if (from.next != nullptr) {
    const std::byte* const* next = from.next + first;
    static_for<Radix>([&](auto) WEFT_LAMBDA {
      prefetch_row(*next, 2 * sizeof(T) * static_cast<std::size_t>(width<T>));
      next += step;
    });
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
HWY_INLINE void store_scaled(const complex_vector<T> (&a)[Radix], T scale, std::byte* const* row,
                             integer step) {
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

template <class T, int Radix>
HWY_NOINLINE void inner_pass(const T* in, integer in_step, T* out, integer groups, integer stride,
                             const T* roots) {
  for (integer p = 0; p < groups; ++p, roots += 2 * (Radix - 1)) {
    for (integer q = 0; q < stride; ++q) {
      complex_vector<T> a[Radix];
      load_butterfly<Radix, T>(element(in, q + stride * p), in_step, a);
      dft<Radix, T>(a);
      store_rotated<Radix, T>(a, roots, element(out, q + stride * Radix * p), stride);
    }
  }
}

template <class T, int Radix>
HWY_NOINLINE void last_pass(const T* in, T* out, integer stride, T scale) {
  const auto factor = hn::Set(tag<T>(), scale);
  for (integer q = 0; q < stride; ++q) {
    complex_vector<T> a[Radix];
    load_butterfly<Radix, T>(element(in, q), stride, a);
    dft<Radix, T>(a);
    T* to = element(out, q);
    static_for<Radix>([&](auto k) WEFT_LAMBDA {
      store_element<T>(scaled<T>(a[k], factor), to);
      to = element(to, stride);
    });
  }
}

template <class T, int Radix>
HWY_NOINLINE void first_pass_from_rows(const row_source& from, T* out, integer groups, const T* roots) {
  for (integer p = 0; p < groups; ++p, roots += 2 * (Radix - 1)) {
    complex_vector<T> a[Radix];
    load_butterfly<Radix, T>(from, p, groups, a);
    dft<Radix, T>(a);
    store_rotated<Radix, T>(a, roots, element(out, Radix * p), 1);
  }
}

template <class T, int Radix, bool Stream>
HWY_NOINLINE void last_pass_to_rows(const T* in, std::byte* const* rows, integer stride, T scale) {
  for (integer q = 0; q < stride; ++q) {
    complex_vector<T> a[Radix];
    load_butterfly<Radix, T>(element(in, q), stride, a);
    dft<Radix, T>(a);
    store_scaled<Radix, Stream, T>(a, scale, rows + q, stride);
  }
}

template <class T, int Radix>
HWY_NOINLINE void only_pass(const row_source& from, std::byte* const* rows, T scale) {
  complex_vector<T> a[Radix];
  load_butterfly<Radix, T>(from, 0, 1, a);
  dft<Radix, T>(a);
  store_scaled<Radix, false, T>(a, scale, rows, 1);
}

template <class T, int Radix>
radix_passes<T> passes_of() {
  return {&inner_pass<T, Radix>, &last_pass<T, Radix>, &first_pass_from_rows<T, Radix>,
          &last_pass_to_rows<T, Radix, false>, &last_pass_to_rows<T, Radix, true>, &only_pass<T, Radix>};
}

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
