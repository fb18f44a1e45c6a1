#include "exchange/plain.hpp"

namespace weft::exchange {

std::vector<message_part> parts_of(const message& m, const plain_image& from, const plain_image& to) {
  std::vector<message_part> parts;
  const auto combine = [&](auto&& self, std::size_t l, const message_part& so_far) -> void {
    if (l == m.axes.size()) {
      parts.push_back(so_far);
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
  return parts;
}

plain_exchange::plain_exchange(const exchange_problem& problem)
    : exchange(problem), from_image_(problem.from_image), to_image_(problem.to_image) {
  from_bytes_ = from_image_.bytes;
  to_bytes_ = to_image_.bytes;
  sink_ = plain_map(from_shape_, from_image_.strides, from_image_.offset);
  source_ = plain_map(to_shape_, to_image_.strides, to_image_.offset);
  for (const auto& m : out_) {
    if (m.peer == rank_) own_ = parts_of(m, from_image_, to_image_);
  }
  for (auto& part : own_) part.box.simplify(element_bytes_);
}

void plain_exchange::copy_own(const std::byte* from, std::byte* to) const {
  for (const auto& part : own_)
    local::copy_elements(part.box, element_bytes_, from + part.from_offset, to + part.to_offset);
}

}  // namespace weft::exchange
