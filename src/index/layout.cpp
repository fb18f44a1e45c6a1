// SPDX-License-Identifier: BSD-3-Clause
#include "weft/layout.hpp"

#include <algorithm>
#include <numeric>

#include "weft/error.hpp"

namespace weft {

namespace {

/// a + b * c, or what does not fit.
integer moved(integer a, integer b, integer c, const char* what, const extents& strides, const extents& local_shape) {
  integer product = 0, sum = 0;
  if (__builtin_mul_overflow(b, c, &product) || __builtin_add_overflow(a, product, &sum)) {
    throw argument_error(std::string(what) + " with strides " + to_text(strides) + " of the local array " +
                         to_text(local_shape) + " lies past 2^63 elements; use smaller strides or fewer ghost cells");
  }
  return sum;
}

}  // namespace

layout row_major(const extents& local_shape) {
  layout result;
  result.strides.assign(local_shape.size(), 1);
  if (volume(local_shape) == 0) return result;
  integer stride = 1;
  for (std::size_t l = local_shape.size(); l-- > 0;) {
    result.strides[l] = stride;
    stride *= local_shape[l];  // no more than the volume
  }
  return result;
}

layout ghosted(const extents& local_shape, const extents& before, const extents& after) {
  if (before.size() != local_shape.size() || after.size() != local_shape.size()) {
    throw argument_error("ghost widths " + to_text(before) + " and " + to_text(after) +
                         " must have one entry per axis of the local array " + to_text(local_shape));
  }
  extents outer = local_shape;
  for (std::size_t l = 0; l < outer.size(); ++l) {
    if (before[l] < 0 || after[l] < 0) {
      throw argument_error("ghost widths " + std::to_string(before[l]) + " and " + std::to_string(after[l]) +
                           " of axis " + std::to_string(l) + ": use 0 or more");
    }
    for (const integer more : {before[l], after[l]}) outer[l] = moved(outer[l], 1, more, "the end", {1}, local_shape);
  }
  layout result = row_major(outer);
  for (std::size_t l = 0; l < outer.size(); ++l) {
    result.offset = moved(result.offset, before[l], result.strides[l], "the first element", result.strides, outer);
  }
  return result;
}

layout resolved(const layout& of, const extents& local_shape) {
  layout full = of;
  if (full.strides.empty()) full.strides = row_major(local_shape).strides;
  if (full.strides.size() != local_shape.size()) {
    throw argument_error("layout strides " + to_text(full.strides) +
                         " must have one entry per axis of the local array " + to_text(local_shape));
  }
  if (full.offset < 0) throw argument_error("layout offset " + std::to_string(full.offset) + " is negative");
  // A rank without elements may pass, and be given, any strides.
  if (std::find(local_shape.begin(), local_shape.end(), 0) != local_shape.end()) return full;
  std::vector<std::size_t> order(local_shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return full.strides[a] < full.strides[b]; });
  integer reach = 0;
  for (const auto l : order) {
    if (local_shape[l] < 2) continue;
    if (full.strides[l] <= reach) {
      throw argument_error("layout strides " + to_text(full.strides) + " make elements of the local array " +
                           to_text(local_shape) + " share an address; the stride of axis " + std::to_string(l) +
                           " must be at least " + std::to_string(reach + 1));
    }
    reach = moved(reach, full.strides[l], local_shape[l] - 1, "the last element", full.strides, local_shape);
  }
  (void)span_of(full, local_shape);
  return full;
}

layout resolved(const layout& of, const extents& local_shape, integer batch, bool interleaved) {
  if (batch == 1) return resolved(of, local_shape);
  extents all = local_shape;
  all.insert(all.begin(), batch);
  if (of.strides.size() == all.size()) return resolved(of, all);
  layout every = resolved(of, local_shape);
  if (interleaved) {
    every.offset = moved(0, every.offset, batch, "the first element", every.strides, local_shape);
    for (auto& s : every.strides) s = moved(0, s, batch, "the end", every.strides, local_shape);
    every.strides.insert(every.strides.begin(), 1);
    return resolved(every, all);
  }
  const integer each = of.strides.empty() ? volume(local_shape) : span_of(every, local_shape);
  every.strides.insert(every.strides.begin(), std::max<integer>(1, each));
  return resolved(every, all);
}

integer span_of(const layout& resolved, const extents& local_shape) {
  integer last = resolved.offset;
  for (std::size_t l = 0; l < local_shape.size(); ++l) {
    if (local_shape[l] == 0) return 0;
    last = moved(last, resolved.strides[l], local_shape[l] - 1, "the last element", resolved.strides, local_shape);
  }
  return moved(last, 1, 1, "the end", resolved.strides, local_shape);
}

bool same_addresses(const layout& a, const layout& b, const extents& local_shape) {
  if (std::ranges::find(local_shape, 0) != local_shape.end()) return true;
  if (a.strides.size() != b.strides.size() || a.offset != b.offset) return false;
  const std::size_t batch = a.strides.size() - local_shape.size();
  if (batch > 0 && a.strides[0] != b.strides[0]) return false;
  for (std::size_t l = 0; l < local_shape.size(); ++l) {
    if (local_shape[l] > 1 && a.strides[batch + l] != b.strides[batch + l]) return false;
  }
  return true;
}

std::string to_text(const layout& of) {
  return "strides " + to_text(of.strides) + ", offset " + std::to_string(of.offset);
}

}  // namespace weft
