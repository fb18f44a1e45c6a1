// SPDX-License-Identifier: BSD-3-Clause
#include "local/copy.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace weft::local {

namespace {

struct line_copy {
  integer count, from_stride, to_stride;
};

template <std::size_t Bytes>
void copy_fixed(const line_copy& line, const std::byte* from, std::byte* to) {
  for (integer i = 0; i < line.count; ++i, from += line.from_stride, to += line.to_stride) std::memcpy(to, from, Bytes);
}

/// Through `past` if that is given, it goes past the caches.
void copy_line(const line_copy& line, std::size_t bytes, const std::byte* from, std::byte* to, line_stream* past) {
  const auto step = static_cast<integer>(bytes);
  if (line.from_stride == step && line.to_stride == step) {
    const std::size_t size = static_cast<std::size_t>(line.count) * bytes;
    if (past != nullptr) {
      past->write(from, to, size);
    } else {
      std::memcpy(to, from, size);
    }
    return;
  }
  switch (bytes) {
    case 4: return copy_fixed<4>(line, from, to);
    case 8: return copy_fixed<8>(line, from, to);
    case 16: return copy_fixed<16>(line, from, to);
    default:
      for (integer i = 0; i < line.count; ++i) std::memcpy(to + i * line.to_stride, from + i * line.from_stride, bytes);
  }
}

void clear_line(const line_copy& line, std::size_t bytes, std::byte* to) {
  for (integer i = 0; i < line.count; ++i) std::memset(to + i * line.to_stride, 0, bytes);
}

/// Indices begin .. end-1 of `axis`, all of the axes behind it.
void copy_axes(const box_copy& box, std::size_t axis, integer begin, integer end, std::size_t bytes,
               const std::byte* from, std::byte* to, line_stream* past) {
  if (from != nullptr) from += begin * box.from_strides[axis];
  to += begin * box.to_strides[axis];
  if (axis + 1 == box.counts.size()) {
    const line_copy line{end - begin, box.from_strides[axis], box.to_strides[axis]};
    return from == nullptr ? clear_line(line, bytes, to) : copy_line(line, bytes, from, to, past);
  }
  for (integer i = begin; i < end; ++i) {
    copy_axes(box, axis + 1, 0, box.counts[axis + 1], bytes, from, to, past);
    if (from != nullptr) from += box.from_strides[axis];
    to += box.to_strides[axis];
  }
}

}  // namespace

void box_copy::simplify(std::size_t element_bytes) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t l) { return counts[l] == 1; });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return from_strides[a] + to_strides[a] > from_strides[b] + to_strides[b];
  });
  box_copy simple;
  for (const auto l : order) {
    const bool joins = !simple.counts.empty() && simple.from_strides.back() == counts[l] * from_strides[l] &&
                       simple.to_strides.back() == counts[l] * to_strides[l];
    if (joins) {
      simple.counts.back() *= counts[l];
      simple.from_strides.back() = from_strides[l];
      simple.to_strides.back() = to_strides[l];
    } else {
      simple.counts.push_back(counts[l]);
      simple.from_strides.push_back(from_strides[l]);
      simple.to_strides.push_back(to_strides[l]);
    }
  }
  if (simple.counts.empty()) {
    const auto step = static_cast<integer>(element_bytes);
    simple = {{1}, {step}, {step}};
  }
  *this = std::move(simple);
}

void copy_elements(const box_copy& box, std::size_t element_bytes, const std::byte* from, std::byte* to, share part,
                   line_stream* past) {
  const integer outer = box.counts.front();
  copy_axes(box, 0, outer * part.number / part.count, outer * (part.number + 1) / part.count, element_bytes, from, to,
            past);
}

}  // namespace weft::local
