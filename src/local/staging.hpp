// Copies bundles between memory and a dense buffer in cache, for engines that cannot fuse the two.
#pragma once

#include <complex>
#include <cstring>

#include "local/engine.hpp"

namespace weft::local {

/// A dense buffer of lines: element k of lane l at k * element_step + l * lane_step.
template <class T>
struct staged {
  T* data;
  integer element_step;
  integer lane_step;
};

template <class T>
void load(const bundle& from, const staged<T>& to) {
  for (const run& r : from.runs) {
    for (integer j = 0; j < r.count; ++j) {
      T* const row = to.data + (r.first + j * r.step) * to.element_step;
      const std::byte* const address = r.address == nullptr ? nullptr : r.address + j * r.stride;
      for (int l = 0; l < from.lanes; ++l) {
        T value{};
        if (address != nullptr) std::memcpy(&value, address + l * r.lane_stride, sizeof(T));
        row[l * to.lane_step] = value;
      }
    }
  }
}

template <class T, class Real>
void store(const staged<T>& from, const bundle& to, Real scale) {
  for (const run& r : to.runs) {
    if (r.address == nullptr) continue;
    for (integer j = 0; j < r.count; ++j) {
      const T* const row = from.data + (r.first + j * r.step) * from.element_step;
      std::byte* const address = r.address + j * r.stride;
      for (int l = 0; l < to.lanes; ++l) {
        const T value = row[l * from.lane_step] * scale;
        std::memcpy(address + l * r.lane_stride, &value, sizeof(T));
      }
    }
  }
}

}  // namespace weft::local
