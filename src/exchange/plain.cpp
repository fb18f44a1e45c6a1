// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/plain.hpp"

#include "exchange/packed.hpp"

namespace weft::exchange {

std::vector<message_part> boxes_of(const message& m, const plain_image& from, const plain_image& to) {
  std::vector<message_part> boxes;
  const auto combine = [&](auto&& self, std::size_t l, const message_part& so_far) -> void {
    if (l == m.axes.size()) {
      boxes.push_back(so_far);
      return;
    }
    for (const auto& o : m.axes[l]) {
      message_part next = so_far;
      next.from_offset += o.from.first * from.strides[l];
      next.to_offset += o.to.first * to.strides[l];
      next.box.counts.push_back(o.from.count);
      next.box.from_strides.push_back(o.from.step * from.strides[l]);
      next.box.to_strides.push_back(o.to.step * to.strides[l]);
      self(self, l + 1, next);
    }
  };
  combine(combine, 0, {from.offset, to.offset, {}});
  return boxes;
}

std::vector<int> plain_ways(const exchange_problem& /*problem*/) { return {0}; }

geometry plain_geometry(const exchange_problem& problem) {
  geometry result;
  result.from_is_array = result.to_is_array = true;
  result.from_bytes = problem.from_image.bytes;
  result.to_bytes = problem.to_image.bytes;
  result.sink =
      plain_map(problem.from.local_shape(problem.rank), problem.from_image.strides, problem.from_image.offset);
  result.source = plain_map(problem.to.local_shape(problem.rank), problem.to_image.strides, problem.to_image.offset);
  const mailing all(problem);
  count_traffic(result, all, problem);
  for (const auto& m : all.out) result.messages_sent += m.peer == problem.rank ? 0 : 1;
  return result;
}

own_copy::own_copy(const exchange_problem& problem) : element_bytes_(problem.element_bytes) {
  for (const auto& m : outgoing(problem.from, problem.to, problem.rank)) {
    if (m.peer == problem.rank) boxes_ = boxes_of(m, problem.from_image, problem.to_image);
  }
  for (auto& b : boxes_) b.box.simplify(element_bytes_);
}

void own_copy::operator()(const std::byte* from, std::byte* to) const {
  for (const auto& b : boxes_) local::copy_elements(b.box, element_bytes_, from + b.from_offset, to + b.to_offset);
}

}  // namespace weft::exchange
