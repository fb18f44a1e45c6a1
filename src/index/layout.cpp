#include "weft/layout.hpp"

#include <algorithm>
#include <numeric>

#include "weft/error.hpp"

namespace weft {

layout row_major(const extents& local_shape) {
  layout made;
  made.strides.resize(local_shape.size());
  integer stride = 1;
  for (std::size_t l = local_shape.size(); l-- > 0;) {
    made.strides[l] = stride;
    stride *= std::max<integer>(1, local_shape[l]);
  }
  return made;
}

layout ghosted(const extents& local_shape, const extents& before, const extents& after) {
  if (before.size() != local_shape.size() || after.size() != local_shape.size()) {
    throw argument_error("ghost widths " + to_text(before) + " and " + to_text(after) +
                         " must have one entry per axis of the local array " + to_text(local_shape));
  }
  extents outer = local_shape;
  for (std::size_t l = 0; l < outer.size(); ++l) outer[l] += before[l] + after[l];
  layout made = row_major(outer);
  for (std::size_t l = 0; l < outer.size(); ++l) made.offset += before[l] * made.strides[l];
  return made;
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
    reach += full.strides[l] * (local_shape[l] - 1);
  }
  return full;
}

integer span_of(const layout& resolved, const extents& local_shape) {
  integer last = resolved.offset;
  for (std::size_t l = 0; l < local_shape.size(); ++l) {
    if (local_shape[l] == 0) return 0;
    last += resolved.strides[l] * (local_shape[l] - 1);
  }
  return last + 1;
}

}  // namespace weft
