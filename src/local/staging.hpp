// SPDX-License-Identifier: BSD-3-Clause
// Copies bundles between memory and a dense buffer in cache, for engines that cannot fuse the two, and converts them
// where memory has narrow elements.
#pragma once

#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

#include "local/kernel.hpp"
#include "local/narrow.hpp"

namespace weft::local {

/// A dense buffer of lines: element k of lane l at k * element_step + l * lane_step.
template <class T>
struct staged {
  T* data;
  integer element_step;
  integer lane_step;
};

namespace detail {

/// `count` elements from one place to another; adjacent ones in one go.
template <class Stored, class T>
void copy_strided(const std::byte* from, integer from_bytes, T* to, integer to_step, integer count) {
  if (from == nullptr) {
    for (integer i = 0; i < count; ++i) to[i * to_step] = T{};
  } else if constexpr (!std::is_same_v<Stored, T>) {
    for (integer i = 0; i < count; ++i) {
      Stored value;
      std::memcpy(&value, from + i * from_bytes, sizeof(Stored));
      to[i * to_step] = widened(value);
    }
  } else if (from_bytes == sizeof(T) && to_step == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
  } else {
    for (integer i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_bytes, sizeof(T));
  }
}

template <class Stored, class T, class Real>
void store_strided(const T* from, integer from_step, std::byte* to, integer to_bytes, integer count, Real scale) {
  if constexpr (!std::is_same_v<Stored, T>) {
    for (integer i = 0; i < count; ++i) {
      const Stored value = narrowed(from[i * from_step] * scale);
      std::memcpy(to + i * to_bytes, &value, sizeof(Stored));
    }
    return;
  }
  if (scale == Real{1} && to_bytes == sizeof(T) && from_step == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
    return;
  }
  for (integer i = 0; i < count; ++i) {
    const T value = from[i * from_step] * scale;
    std::memcpy(to + i * to_bytes, &value, sizeof(T));
  }
}

}  // namespace detail

// Both walk along whichever of line and lanes is adjacent in the buffer.

template <class T, class Stored = T>
void load(const bundle& from, const staged<T>& to) {
  for (const run& r : from.runs) {
    const auto at = [&](integer j, integer l) {
      return r.address == nullptr ? nullptr : r.address + j * r.stride + l * r.lane_stride;
    };
    if (to.lane_step == 1) {
      for (integer j = 0; j < r.count; ++j) {
        detail::copy_strided<Stored>(at(j, 0), r.lane_stride, to.data + (r.first + j * r.step) * to.element_step, 1,
                                     from.lanes);
      }
    } else {
      for (int l = 0; l < from.lanes; ++l) {
        detail::copy_strided<Stored>(at(0, l), r.stride, to.data + r.first * to.element_step + l * to.lane_step,
                                     r.step * to.element_step, r.count);
      }
    }
  }
}

template <class T, class Real, class Stored = T>
void store(const staged<T>& from, const bundle& to, Real scale) {
  for (const run& r : to.runs) {
    if (r.address == nullptr) continue;
    if (from.lane_step == 1) {
      for (integer j = 0; j < r.count; ++j) {
        detail::store_strided<Stored>(from.data + (r.first + j * r.step) * from.element_step, 1,
                                      r.address + j * r.stride, r.lane_stride, to.lanes, scale);
      }
    } else {
      for (int l = 0; l < to.lanes; ++l) {
        detail::store_strided<Stored>(from.data + r.first * from.element_step + l * from.lane_step,
                                      r.step * from.element_step, r.address + l * r.lane_stride, r.stride, r.count,
                                      scale);
      }
    }
  }
}

template <class T>
void store(const staged<T>& from, const bundle& to) {
  store(from, to, decltype(std::abs(T{})){1});
}

}  // namespace weft::local
