// SPDX-License-Identifier: BSD-3-Clause
// Bringing the lines of a bundle into a buffer of vectors and back, through runs.
//
// A buffer is an array of slots, one vector each. A complex element fills two adjacent slots; the reals
// of an even line fill one each, which is how the transform of half the length sees them.
#if defined(WEFT_LOCAL_SIMD_ACCESS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_LOCAL_SIMD_ACCESS_INL_HPP
#undef WEFT_LOCAL_SIMD_ACCESS_INL_HPP
#else
#define WEFT_LOCAL_SIMD_ACCESS_INL_HPP
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "local/kernel.hpp"
#include "local/simd/radix_steps.hpp"
#include "local/simd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

template <class T, element_type E>
inline constexpr integer element_bytes = static_cast<integer>(E == element_type::real ? sizeof(T) : 2 * sizeof(T));
template <class T>
inline constexpr integer vector_bytes = static_cast<integer>(sizeof(T)) * width<T>;

/// Where the elements of a line go in a buffer: one after the other.
struct slot_order {
  integer slots_per_element = 2;

  [[nodiscard]] integer slot(integer index) const { return index * slots_per_element; }
};

/// The same, if `reversed_period` is 0. Reversed, element j takes the place of -j modulo the period,
/// or does so with the whole block of `kept_order` elements around it (a power of two), which turns a forward
/// transform into a backward one.
struct slot_map {
  integer reversed_period = 0;
  integer kept_order = 1;

  [[nodiscard]] integer place(integer index) const {
    if (reversed_period == 0 || index < kept_order) return index;
    return reversed_period - index + 2 * (index & (kept_order - 1));
  }
  [[nodiscard]] integer slot(integer index) const { return place(index) * 2; }
};

/// The lanes of a bundle that one vector holds.
struct lane_range {
  integer first = 0;
  integer count = 0;
};

/// The lane of a vector that holds line `line` of its group.
template <class T>
constexpr integer lane_of(integer line) {
  return line < half_width<T> ? 2 * line : 2 * (line - half_width<T>)+1;
}

/// Whether every element of the group lies in `width` adjacent complex numbers (or nowhere).
template <class T>
bool rows_suit(std::span<const run> runs, const lane_range& lanes) {
  if (lanes.count != width<T>) return false;
  for (const run& r : runs) {
    if (r.address != nullptr && r.lane_stride != element_bytes<T, element_type::complex>) return false;
  }
  return true;
}

/// One pointer per element of the line; `nowhere` stands in for null runs. Returns whether all pointers
/// are aligned to vectors.
template <class T>
bool list_rows(std::span<const run> runs, const lane_range& lanes, const slot_map& map, std::byte* nowhere,
               std::byte** rows) {
  std::uintptr_t low_bits = 0;
  for (const run& r : runs) {
    const bool null = r.address == nullptr;
    std::byte* row = null ? nowhere : r.address + lanes.first * r.lane_stride;
    const integer stride = null ? 0 : r.stride;
    low_bits |= reinterpret_cast<std::uintptr_t>(row) | static_cast<std::uintptr_t>(stride);
    integer index = r.first;
    if (map.reversed_period == 0 && r.step == 1) {  // the usual case, in vectors
      std::byte** const to = rows + index;
      for (integer j = 0; j < r.count; ++j) to[j] = row + j * stride;
    } else if (map.reversed_period == 0) {
      for (integer j = 0; j < r.count; ++j, index += r.step, row += stride) rows[index] = row;
    } else {
      for (integer j = 0; j < r.count; ++j, index += r.step, row += stride) rows[map.place(index)] = row;
    }
  }
  return low_bits % static_cast<std::uintptr_t>(vector_bytes<T>) == 0;
}

/// Where in a buffer the two vectors of pair j of a run are: a complex element, or two adjacent reals.
struct pair_offsets {
  integer first;
  integer second;
};
template <class T, element_type E, class Map>
HWY_INLINE pair_offsets offsets_of_pair(const run& r, const Map& map, integer j) {
  if constexpr (E == element_type::complex) {
    const integer slot = map.slot(r.first + j * r.step);
    return {slot * width<T>, (slot + 1) * width<T>};
  } else {
    const integer index = r.first + 2 * j * r.step;
    return {map.slot(index) * width<T>, map.slot(index + r.step) * width<T>};
  }
}

/// Pointers to the lines of a group in a run whose lines are contiguous. Missing lanes repeat the last.
template <class T>
struct line_pointers {
  T* line[static_cast<std::size_t>(width<T>)];
  std::uintptr_t low_bits = 0;

  line_pointers(const run& r, const lane_range& lanes) {
    for (integer l = 0; l < width<T>; ++l) {
      const integer lane = lanes.first + (l < lanes.count ? l : lanes.count - 1);
      line[l] = reinterpret_cast<T*>(r.address + lane * r.lane_stride);
      low_bits |= reinterpret_cast<std::uintptr_t>(line[l]);
    }
  }
};

/// Calls body(j) for tiles of half_width pairs that cover 0 .. pairs-1; the last may overlap its
/// predecessor.
template <class T, class Body>
HWY_INLINE void for_each_tile(integer pairs, const Body& body) {
  for (integer j = 0; j < pairs; j += half_width<T>) body(j + half_width<T> <= pairs ? j : pairs - half_width<T>);
}

template <class T, element_type E, class Map>
void load_tiles(const run& r, const run* next, const lane_range& lanes, const Map& map, integer pairs, T* buffer) {
  constexpr int half = static_cast<int>(half_width<T>);
  const line_pointers<T> from(r, lanes);
  for_each_tile<T>(pairs, [&](integer j) WEFT_LAMBDA {
    real_vector<T> re[half];
    real_vector<T> im[half];
    load_transposed<T>([&](integer k) WEFT_LAMBDA { return from.line[k] + 2 * j; }, re, im);
    if (next != nullptr) {
      const std::byte* ahead =
          next->address + lanes.first * next->lane_stride + j * 2 * static_cast<integer>(sizeof(T));
      for (integer l = 0; l < lanes.count; ++l) __builtin_prefetch(ahead + l * next->lane_stride, 0, 2);
    }
    static_for<half>([&](auto k) WEFT_LAMBDA {
      const pair_offsets to = offsets_of_pair<T, E>(r, map, j + k);
      hn::Store(re[k], tag<T>(), buffer + to.first);
      hn::Store(im[k], tag<T>(), buffer + to.second);
    });
  });
}

template <class T, element_type E, class Map>
void store_tiles(const run& r, bool stream, const lane_range& lanes, const Map& map, integer pairs, const T* buffer) {
  constexpr int half = static_cast<int>(half_width<T>);
  const line_pointers<T> to(r, lanes);
  const bool stream_all = stream && to.low_bits % static_cast<std::uintptr_t>(vector_bytes<T>) == 0;
  for_each_tile<T>(pairs, [&](integer j) WEFT_LAMBDA {
    real_vector<T> re[half];
    real_vector<T> im[half];
    static_for<half>([&](auto k) WEFT_LAMBDA {
      const pair_offsets from = offsets_of_pair<T, E>(r, map, j + k);
      re[k] = hn::Load(tag<T>(), buffer + from.first);
      im[k] = hn::Load(tag<T>(), buffer + from.second);
    });
    transpose_back<T>(re, im);
    if (stream_all && j % half == 0 && lanes.count == width<T>) {
      static_for<half>([&](auto k) WEFT_LAMBDA {
        hn::Stream(re[k], tag<T>(), to.line[k] + 2 * j);
        hn::Stream(im[k], tag<T>(), to.line[k + half] + 2 * j);
      });
    } else {
      static_for<half>([&](auto k) WEFT_LAMBDA {
        if (k < lanes.count) hn::StoreU(re[k], tag<T>(), to.line[k] + 2 * j);
        if (k + half < lanes.count) hn::StoreU(im[k], tag<T>(), to.line[k + half] + 2 * j);
      });
    }
  });
}

/// Copies past the caches, whatever the alignment: only the ends, parts of cache lines, go through them.
template <class T>
void stream_copy(const T* from, T* to, integer count) {
  constexpr std::uintptr_t alignment = 64;
  const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(to) % alignment;
  const auto head = std::min(count, static_cast<integer>((alignment - past) % alignment / sizeof(T)));
  std::copy_n(from, head, to);
  integer i = head;
  for (; i + width<T> <= count; i += width<T>) hn::Stream(hn::LoadU(tag<T>(), from + i), tag<T>(), to + i);
  std::copy_n(from + i, count - i, to + i);
}

/// Elements begin .. count-1 of a run, one lane at a time: any strides, any number of lanes.
template <class T, element_type E, class Map>
void load_elements(const run& r, const lane_range& lanes, const Map& map, integer begin, T* buffer) {
  constexpr integer bytes = element_bytes<T, E>;
  HWY_ALIGN T row[static_cast<std::size_t>(2 * width<T>)] = {};
  for (integer j = begin; j < r.count; ++j) {
    const std::byte* from = r.address + j * r.stride + lanes.first * r.lane_stride;
    T* slot = buffer + map.slot(r.first + j * r.step) * width<T>;
    if constexpr (E == element_type::complex) {
      for (integer l = 0; l < lanes.count; ++l) std::memcpy(row + 2 * l, from + l * r.lane_stride, bytes);
      store_element<T>(load_row<T>(row), slot);
    } else {
      for (integer l = 0; l < lanes.count; ++l) std::memcpy(row + lane_of<T>(l), from + l * r.lane_stride, bytes);
      hn::Store(hn::Load(tag<T>(), row), tag<T>(), slot);
    }
  }
}

template <class T, element_type E, class Map>
void store_elements(const run& r, const lane_range& lanes, const Map& map, integer begin, const T* buffer) {
  constexpr integer bytes = element_bytes<T, E>;
  HWY_ALIGN T row[static_cast<std::size_t>(2 * width<T>)];
  for (integer j = begin; j < r.count; ++j) {
    std::byte* to = r.address + j * r.stride + lanes.first * r.lane_stride;
    const T* slot = buffer + map.slot(r.first + j * r.step) * width<T>;
    if constexpr (E == element_type::complex) {
      store_row<T>(load_element<T>(slot), row);
      for (integer l = 0; l < lanes.count; ++l) std::memcpy(to + l * r.lane_stride, row + 2 * l, bytes);
    } else {
      for (integer l = 0; l < lanes.count; ++l) std::memcpy(to + l * r.lane_stride, slot + lane_of<T>(l), bytes);
    }
  }
}

/// How many leading elements of a run go by tiles.
template <class T, element_type E>
integer tiled_pairs(const run& r) {
  if (r.stride != element_bytes<T, E>) return 0;
  const integer pairs = E == element_type::complex ? r.count : r.count / 2;
  return pairs >= half_width<T> ? pairs : 0;
}

/// Whether the elements of a group lie side by side, one row for each place of the line.
template <class T, element_type E>
bool has_rows(const run& r, const lane_range& lanes) {
  return r.lane_stride == element_bytes<T, E> && (lanes.count == width<T> || has_partial_vectors);
}

/// Moves such rows between memory and the slots of a buffer.
template <class T, element_type E>
class row_mover {
 public:
  explicit row_mover(integer lines) : full_(lines == width<T>), mask_(E == element_type::real ? lines : 2 * lines) {
    for (integer l = 0; l < width<T>; ++l) {
      to_lanes_[lane_of<T>(l)] = static_cast<lane_index>(l);
      from_lanes_[l] = static_cast<lane_index>(lane_of<T>(l));
    }
  }

  HWY_INLINE void load(const std::byte* from, T* slot) const {
    const T* row = reinterpret_cast<const T*>(from);
    if constexpr (E == element_type::complex) {
      store_element<T>(full_ ? load_row<T>(row) : load_row<T>(row, mask_), slot);
    } else {
      const tag<T> d;
      const auto reals = full_ ? hn::LoadU(d, row) : hn::MaskedLoad(mask_.low, d, row);
      hn::Store(hn::TableLookupLanes(reals, hn::SetTableIndices(d, to_lanes_)), d, slot);
    }
  }

  HWY_INLINE void store(const T* slot, std::byte* to) const {
    T* row = reinterpret_cast<T*>(to);
    if constexpr (E == element_type::complex) {
      full_ ? store_row<T>(load_element<T>(slot), row) : store_row<T>(load_element<T>(slot), row, mask_);
    } else {
      full_ ? hn::StoreU(reals(slot), tag<T>(), row) : hn::BlendedStore(reals(slot), mask_.low, tag<T>(), row);
    }
  }

  /// Past the caches, for full rows that are aligned to vectors.
  HWY_INLINE void stream(const T* slot, std::byte* to) const {
    T* row = reinterpret_cast<T*>(to);
    if constexpr (E == element_type::complex) {
      stream_row<T>(load_element<T>(slot), row);
    } else {
      hn::Stream(reals(slot), tag<T>(), row);
    }
  }

 private:
  HWY_INLINE real_vector<T> reals(const T* slot) const {
    return hn::TableLookupLanes(hn::Load(tag<T>(), slot), hn::SetTableIndices(tag<T>(), from_lanes_));
  }

  using lane_index = hwy::MakeSigned<T>;
  bool full_;
  row_mask<T> mask_;
  lane_index to_lanes_[static_cast<std::size_t>(width<T>)];
  lane_index from_lanes_[static_cast<std::size_t>(width<T>)];
};

/// Loads a group of lines. `next` may give the runs of the bundle to come, to be fetched meanwhile.
template <class T, element_type E, class Map>
void load_lines(const bundle& from, const lane_range& lanes, const Map& map, T* buffer) {
  const bool prefetch = from.next.size() == from.runs.size();
  for (std::size_t i = 0; i < from.runs.size(); ++i) {
    const run& r = from.runs[i];
    const run* next =
        prefetch && from.next[i].address != nullptr && from.next[i].count == r.count && from.next[i].stride == r.stride
            ? &from.next[i]
            : nullptr;
    const auto slot = [&](integer j) WEFT_LAMBDA { return buffer + map.slot(r.first + j * r.step) * width<T>; };
    if (r.address == nullptr) {
      for (integer j = 0; j < r.count; ++j) {
        hn::Store(hn::Zero(tag<T>()), tag<T>(), slot(j));
        if (E == element_type::complex) hn::Store(hn::Zero(tag<T>()), tag<T>(), slot(j) + width<T>);
      }
    } else if (has_rows<T, E>(r, lanes)) {
      const row_mover<T, E> rows(lanes.count);
      const std::byte* row = r.address + lanes.first * r.lane_stride;
      for (integer j = 0; j < r.count; ++j, row += r.stride) rows.load(row, slot(j));
    } else {
      const integer pairs = tiled_pairs<T, E>(r);
      if (pairs > 0) load_tiles<T, E>(r, next, lanes, map, pairs, buffer);
      load_elements<T, E>(r, lanes, map, E == element_type::complex ? pairs : 2 * pairs, buffer);
    }
  }
}

/// Complex lines that may be reversed: asked once, not for every element.
template <class T>
void load_input(const bundle& from, const lane_range& lanes, const slot_map& map, T* buffer) {
  if (map.reversed_period == 0) {
    load_lines<T, element_type::complex>(from, lanes, slot_order{}, buffer);
  } else {
    load_lines<T, element_type::complex>(from, lanes, map, buffer);
  }
}

template <class T, element_type E, class Map = slot_order>
void store_lines(const bundle& to, const lane_range& lanes, const Map& map, const T* buffer) {
  for (const run& r : to.runs) {
    if (r.address == nullptr) continue;
    if (has_rows<T, E>(r, lanes)) {
      const row_mover<T, E> rows(lanes.count);
      std::byte* row = r.address + lanes.first * r.lane_stride;
      const auto bits = reinterpret_cast<std::uintptr_t>(row) | static_cast<std::uintptr_t>(r.stride);
      const bool stream =
          to.stream && lanes.count == width<T> && bits % static_cast<std::uintptr_t>(vector_bytes<T>) == 0;
      for (integer j = 0; j < r.count; ++j, row += r.stride) {
        const T* slot = buffer + map.slot(r.first + j * r.step) * width<T>;
        stream ? rows.stream(slot, row) : rows.store(slot, row);
      }
    } else {
      const integer pairs = tiled_pairs<T, E>(r);
      if (pairs > 0) store_tiles<T, E>(r, to.stream, lanes, map, pairs, buffer);
      store_elements<T, E>(r, lanes, map, E == element_type::complex ? pairs : 2 * pairs, buffer);
    }
  }
}

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
