// SPDX-License-Identifier: BSD-3-Clause
// Lines that are contiguous in memory, a block at a time: the lanes of a vector are neighbours in a line.
//
// See lines-inl.hpp for how. A block stays in the first-level cache, and nothing is transposed twice as in
// load_tiles and store_tiles. Where the transform across rows is a single radix, no buffer is needed.
#if defined(WEFT_LOCAL_SIMD_CONTIGUOUS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_CONTIGUOUS_INL_HPP
#undef WEFT_LOCAL_SIMD_CONTIGUOUS_INL_HPP
#else
#define WEFT_LOCAL_SIMD_CONTIGUOUS_INL_HPP
#endif

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "local/engine.hpp"
#include "local/simd/access-inl.hpp"
#include "local/simd/butterflies-inl.hpp"
#include "local/simd/fft-inl.hpp"
#include "local/simd/lines-inl.hpp"
#include "local/simd/roots.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

/// Calls body(from, to) with the lines at each place of a grid as bundles, `in` elements and `out` elements long.
template <class Body>
void transform_places(const line_grid& lines, integer in, integer out, const Body& body) {
  const auto lanes = static_cast<int>(lines.lanes);
  for_each_place(lines.loops, lines.from.address, lines.to.address, [&](std::byte* from, std::byte* to) {
    const run source{from, 0, 1, in, lines.from.stride, lines.from.lane_stride};
    const run sink{to, 0, 1, out, lines.to.stride, lines.to.lane_stride};
    body(bundle{{&source, 1}, lanes}, bundle{{&sink, 1}, lanes, {}, lines.stream});
  });
}

// Whether blocks may be transformed one after the other: no line may be stored over one still to be loaded.

/// The memory of contiguous lines, begin and end.
inline std::pair<const std::byte*, const std::byte*> reach(const run& r, integer lanes) {
  const std::byte* last_lane = r.address + (lanes - 1) * r.lane_stride;
  return {std::min<const std::byte*>(r.address, last_lane),
          std::max<const std::byte*>(r.address, last_lane) + r.count * r.stride};
}

/// Runs that share no memory, or lines that are stored just where they were loaded from.
inline bool compatible(const run& from, const run& to, integer lanes) {
  const auto [from_begin, from_end] = reach(from, lanes);
  const auto [to_begin, to_end] = reach(to, lanes);
  if (std::less_equal<>()(from_end, to_begin) || std::less_equal<>()(to_end, from_begin)) return true;
  return from.address == to.address && from.lane_stride == to.lane_stride &&
         std::max(from.lane_stride, -from.lane_stride) >= std::max(from.count * from.stride, to.count * to.stride);
}

inline bool line_after_line(const bundle& from, const bundle& to) {
  for (const run& a : from.runs) {
    for (const run& b : to.runs) {
      if (!compatible(a, b, from.lanes)) return false;
    }
  }
  return true;
}

/// The memory of a call: `own` and `spare` have room for width/2 lines, `in` and `out` for as many pointers
/// as a line has elements.
template <class T>
struct line_space {
  T* own;
  T* spare;
  std::byte** in;
  std::byte** out;
};

template <class T>
class contiguous_fft {
 public:
  /// Lines so done are rounded otherwise than by radix_fft: contiguous_order_fft does it for others, too.
  [[nodiscard]] static bool suits(integer length) {
    const integer rows = length / width<T>;
    if (length % width<T> != 0 || !suits_lines<T>(rows)) return false;
    const factorisation factors = factorise(rows);
    if (factors.radices.empty() || !is_compiled(factors.radices.front())) return false;
    // Few rows only pay where they stay in registers and little is done twice in overlapping tiles.
    return rows >= 2 * width<T> || (factors.radices.size() == 1 && (rows <= width<T> || 2 * rows >= 3 * width<T>));
  }

  /// Backward, a forward transform of row -r in place of r whose result -l is taken for l does it, with
  /// conjugate roots between.
  contiguous_fft(integer length, bool backward)
      : rows_(length / width<T>), backward_(backward), across_rows_(factorise(rows_).radices) {
    for (integer k = 0; k < rows_; ++k) input_.push_back(width<T> * (backward && k != 0 ? rows_ - k : k));
    for (integer tile = 0; tile * width<T> < rows_; ++tile) {
      for (integer l = 0; l < width<T>; ++l) {
        output_.push_back(result_offset<T>(tile, l, rows_, backward) / 2);
        append_roots(tile, l, length, backward);
      }
    }
  }

  /// Whether lines can be read and written by whole rows, and block after block.
  [[nodiscard]] bool can_do(const bundle& from, const bundle& to) const {
    if (rows_ < width<T> && (from.runs.size() != 1 || to.runs.size() != 1)) return false;
    return by_rows(from.runs) && by_rows(to.runs) && (rows_ % width<T> == 0 || to.runs.size() == 1) &&
           line_after_line(from, to);
  }

  /// Streamed rows that are not aligned are assembled in cache first.
  void transform(const bundle& from, const bundle& to, T scale, const line_space<T>& space) const {
    if (transform_short(from, to, scale)) return;
    T* image = element(space.own, rows_);
    const run assembled{reinterpret_cast<std::byte*>(image),     0, 1, rows_ * width<T>,
                        element_bytes<T, element_type::complex>, 0};
    for (integer lane = 0; lane < from.lanes; ++lane) {
      const bool aligned = locate(to.runs, lane, output_, space.out);
      const bool assemble = to.stream && !aligned;
      if (assemble) locate({&assembled, 1}, lane, output_, space.out);
      transform_rows(from, lane, space);
      if (to.stream && aligned) {
        across_lanes(space.own, scale, [&](integer number, const complex_vector<T>& value) WEFT_LAMBDA {
          stream_row<T>(value, reinterpret_cast<T*>(space.out[number]));
        });
      } else {
        across_lanes(space.own, scale, [&](integer number, const complex_vector<T>& value) WEFT_LAMBDA {
          store_row<T>(value, reinterpret_cast<T*>(space.out[number]));
        });
      }
      if (!assemble) continue;
      for (const run& r : to.runs) {
        stream_copy(image + 2 * r.first, reinterpret_cast<T*>(r.address + lane * r.lane_stride), 2 * r.count);
      }
    }
  }

  /// All lines of a grid that are contiguous on either side.
  void transform_many(const line_grid& lines, T scale, const line_space<T>& space) const {
    const integer length = rows_ * width<T>;
    transform_places(lines, length, length,
                     [&](const bundle& from, const bundle& to) { transform(from, to, scale, space); });
  }

  /// Whether lines whose elements are some distance apart can be assembled, some after the others.
  [[nodiscard]] static bool can_assemble(const bundle& from, const bundle& to) {
    const auto is_line = [](std::span<const run> runs) {
      return runs.size() == 1 && runs[0].address != nullptr && runs[0].step == 1;
    };
    return is_line(from.runs) && is_line(to.runs) && from.lanes == to.lanes && line_after_line(from, to);
  }

  /// The same of such lines, in the half of `own` that is free.
  void transform_assembled(const bundle& from, const bundle& to, T scale, const line_space<T>& space) const {
    constexpr integer bytes = element_bytes<T, element_type::complex>;
    const run &source = from.runs[0], &sink = to.runs[0];
    T* const lines = element(space.own, rows_ * width<T> / 2);
    const run dense{reinterpret_cast<std::byte*>(lines), 0, 1, source.count, bytes, source.count * bytes};
    for (integer lane = 0; lane < from.lanes; lane += half_width<T>) {
      const integer count = std::min<integer>(half_width<T>, from.lanes - lane);
      copy_lines(source, source.address + lane * source.lane_stride, dense, dense.address, count);
      const bundle block{{&dense, 1}, static_cast<int>(count)};
      transform(block, block, scale, space);
      copy_lines(dense, dense.address, sink, sink.address + lane * sink.lane_stride, count);
    }
  }

  /// How many lines are loaded before the first is stored.
  [[nodiscard]] integer block() const { return lines_per_block<T>(rows_); }

 private:
  /// By a step that loads and stores whole lines, if there is one. False if not.
  bool transform_short(const bundle& from, const bundle& to, T scale) const {
    const radix_steps<T>* steps = across_rows_.only_step();
    if (steps == nullptr || steps->lines == nullptr || from.runs.size() != 1 || to.runs.size() != 1) return false;
    const run& source = from.runs[0];
    const run& sink = to.runs[0];
    // Streaming wants every row aligned; rows of the result start `rows_` elements apart.
    const auto bits = reinterpret_cast<std::uintptr_t>(sink.address) |
                      static_cast<std::uintptr_t>(sink.lane_stride | rows_ * sink.stride);
    const bool aligned = bits % static_cast<std::uintptr_t>(vector_bytes<T>) == 0;
    if (to.stream && !aligned && rows_ >= width<T>) return false;
    line_batch lines{source.address, source.lane_stride, sink.address,        sink.lane_stride, nullptr, 0,
                     from.lanes,     backward_,          to.stream && aligned};
    if (from.next.size() == 1 && by_rows(from.next)) {
      lines.next = from.next[0].address;
      lines.next_distance = from.next[0].lane_stride;
    }
    steps->lines(lines, roots_.data(), scale);
    return true;
  }

  static void copy_lines(const run& from, const std::byte* source, const run& to, std::byte* sink, integer lines) {
    constexpr std::size_t bytes = element_bytes<T, element_type::complex>;
    const integer count = from.count, in = from.stride,
                  out = to.stride;  // which stores might change, for all one knows
    for (integer l = 0; l < lines; ++l, source += from.lane_stride, sink += to.lane_stride) {
      const std::byte* a = source;
      std::byte* b = sink;
      integer j = 0;
      for (; j + 4 <= count; j += 4, a += 4 * in, b += 4 * out) {
        std::memcpy(b, a, bytes);
        std::memcpy(b + out, a + in, bytes);
        std::memcpy(b + 2 * out, a + 2 * in, bytes);
        std::memcpy(b + 3 * out, a + 3 * in, bytes);
      }
      for (; j < count; ++j, a += in, b += out) std::memcpy(b, a, bytes);
    }
  }

  /// All but the transforms across lanes, into `own`.
  void transform_rows(const bundle& from, integer lane, const line_space<T>& space) const {
    const bool prefetch = !from.next.empty() && by_rows(from.next);
    std::byte** next = space.in + rows_;
    locate(from.runs, lane, input_, space.in);
    if (prefetch) locate(from.next, lane, input_, next);
    across_rows_.all_from_rows({space.in, prefetch ? next : nullptr}, space.own, space.spare);
  }

  static bool by_rows(std::span<const run> runs) {
    for (const run& r : runs) {
      if (r.address == nullptr || r.step != 1 || r.stride != element_bytes<T, element_type::complex> ||
          r.first % width<T> != 0 || r.count % width<T> != 0) {
        return false;
      }
    }
    return true;
  }

  /// Pointers to elements of a line. Returns whether all are aligned to vectors.
  static bool locate(std::span<const run> runs, integer lane, const std::vector<integer>& elements,
                     std::byte** pointers) {
    constexpr integer bytes = element_bytes<T, element_type::complex>;
    const run* r = runs.data();
    std::uintptr_t low_bits = 0;
    if (runs.size() == 1) {
      std::byte* start = r->address + lane * r->lane_stride;
      for (const integer index : elements) {
        *pointers = start + index * bytes;
        low_bits |= reinterpret_cast<std::uintptr_t>(*pointers++);
      }
      return low_bits % static_cast<std::uintptr_t>(vector_bytes<T>) == 0;
    }
    for (const integer index : elements) {
      if (index < r->first || index >= r->first + r->count) {
        r = runs.data();
        while (index < r->first || index >= r->first + r->count) ++r;
      }
      *pointers = r->address + lane * r->lane_stride + (index - r->first) * bytes;
      low_bits |= reinterpret_cast<std::uintptr_t>(*pointers++);
    }
    return low_bits % static_cast<std::uintptr_t>(vector_bytes<T>) == 0;
  }

  /// exp(-2 pi i ck / n) for the k of a tile, in lane order.
  void append_roots(integer tile, integer c, integer length, bool backward) {
    const std::size_t start = roots_.size();
    roots_.resize(start + static_cast<std::size_t>(2 * width<T>));
    for (integer k = 0; k < width<T>; ++k) {
      const integer result = rows_ < width<T> ? k % rows_ : line_tile_start<T>(tile, rows_) + k;
      const unit_root root = root_of_unity(c * result % length, length);
      T* at = roots_.data() + start + lane_of<T>(k);
      at[0] = static_cast<T>(root.cosine);
      at[width<T>] = static_cast<T>(backward ? root.sine : -root.sine);
    }
  }

  /// Calls store(number, value) for the results of a line, `width` per tile.
  template <class Store>
  HWY_INLINE void across_lanes(const T* in, T scale, const Store& store) const {
    constexpr int size = static_cast<int>(width<T>);
    const auto factor = hn::Set(tag<T>(), scale);
    const T* roots = roots_.data();
    for (integer t = 0; t * width<T> < rows_; ++t, roots += 2 * size * size) {
      const T* from = element(in, line_tile_start<T>(t, rows_));
      transposed_tile<T> re;
      transposed_tile<T> im;
      load_transposed<T>([&](integer k) WEFT_LAMBDA { return element(from, k); }, re.even, re.odd);
      load_transposed<T>([&](integer k) WEFT_LAMBDA { return element(from, k) + size; }, im.even, im.odd);
      complex_vector<T> a[size];
      transform_tile<T>(re, im, roots, a);
      static_for<size>([&](auto l) WEFT_LAMBDA { store(t * size + l, scaled<T>(a[l], factor)); });
    }
  }

  integer rows_;
  bool backward_;
  radix_fft<T> across_rows_;
  std::vector<T> roots_;  ///< per tile and c, cosines and sines of the lanes
  /// The elements that rows start with: what the transform across rows reads, and what width * t + l, the
  /// l-th result of tile t, becomes.
  std::vector<integer> input_;
  std::vector<integer> output_;
};

/// The same operations on lines that lie one to a lane: the result has the same bits. front() transforms
/// across rows, back() across what was lanes there.
template <class T>
class contiguous_order_fft final : public line_fft<T> {
 public:
  contiguous_order_fft(integer length, bool backward)
      : rows_(length / width<T>), backward_(backward), across_rows_(factorise(rows_).radices, padding::none, width<T>) {
    for (integer k = 0; k < rows_; ++k) {
      for (integer c = 1; c < width<T>; ++c) {
        const unit_root root = root_of_unity(c * k % length, length);
        roots_.push_back(static_cast<T>(root.cosine));
        roots_.push_back(static_cast<T>(backward ? root.sine : -root.sine));
      }
    }
  }

  [[nodiscard]] integer buffer_elements() const override { return across_rows_.buffer_elements(); }
  [[nodiscard]] T* entry(T* own, T* spare) const override { return across_rows_.entry(spare, own); }
  [[nodiscard]] integer kept_order() const override { return width<T>; }

  void transform(T* own, T* spare, T scale) const override {
    front(spare, own);
    back(spare, own, scale);
  }

  // As radix_fft has them.
  [[nodiscard]] T* front_entry(T* own, T* spare) const { return across_rows_.entry(own, spare); }
  void front(T* own, T* spare) const { across_rows_.transform(own, spare, T{1}); }
  void front(const row_source& from, T* own, T* spare) const { across_rows_.all_from_rows(from, own, spare); }
  void back(const T* own, T* to, T scale) const {
    across_columns(own, scale, [&](integer k, const complex_vector<T>& value) WEFT_LAMBDA {
      store_element<T>(value, element(to, k));
    });
  }
  void back(const T* own, const row_sink& to, bool stream, T scale) const {
    if (stream) {
      across_columns(own, scale, [&](integer k, const complex_vector<T>& value) WEFT_LAMBDA {
        if (to.rows[k] != nullptr) stream_row<T>(value, reinterpret_cast<T*>(to.rows[k]));
      });
    } else {
      across_columns(own, scale, [&](integer k, const complex_vector<T>& value) WEFT_LAMBDA {
        store_row<T>(value, reinterpret_cast<T*>(to.rows[k]));
      });
    }
  }
  [[nodiscard]] static constexpr bool loads_rows() { return true; }
  [[nodiscard]] static constexpr bool stores_rows() { return true; }
  [[nodiscard]] static constexpr bool one_step() { return false; }

 private:
  /// Calls store(k, value) for every element of the result.
  template <class Store>
  HWY_INLINE void across_columns(const T* in, T scale, const Store& store) const {
    constexpr int size = static_cast<int>(width<T>);
    const auto factor = hn::Set(tag<T>(), scale);
    const integer step = backward_ ? -rows_ : rows_;
    const T* roots = roots_.data();
    for (integer k = 0; k < rows_; ++k, roots += 2 * (size - 1)) {
      complex_vector<T> a[size];
      a[0] = load_element<T>(in);
      static_for<size - 1>([&](auto c) WEFT_LAMBDA {
        in = element(in, 1);
        a[c + 1] = rotated<T>(load_element<T>(in), roots + 2 * c);
      });
      in = element(in, 1);
      dft<size, T>(a);
      store(k, scaled<T>(a[0], factor));
      integer place = backward_ ? k + rows_ * size : k;
      static_for<size - 1>([&](auto l) WEFT_LAMBDA {
        place += step;
        store(place, scaled<T>(a[l + 1], factor));
      });
    }
  }

  integer rows_;
  bool backward_;
  radix_fft<T> across_rows_;  ///< of `width` lines together
  std::vector<T> roots_;
};

template <class T>
std::unique_ptr<line_fft<T>> make_fft(integer length, bool backward, bool contiguous) {
  if (contiguous && contiguous_fft<T>::suits(length)) {
    return std::make_unique<contiguous_order_fft<T>>(length, backward);
  }
  const factorisation factors = factorise(length);
  if (length == 1 || !factors.radices.empty()) return std::make_unique<radix_fft<T>>(factors.radices);
  return std::make_unique<chirp_fft<T>>(length);
}

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
