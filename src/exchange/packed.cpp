#include "exchange/packed.hpp"

#include <algorithm>
#include <cstring>

namespace weft::exchange {

namespace {

extents dense_strides(const extents& box, std::size_t element_bytes) {
  extents strides(box.size());
  auto stride = static_cast<integer>(element_bytes);
  for (std::size_t l = box.size(); l-- > 0; stride *= box[l]) strides[l] = stride;
  return strides;
}

}  // namespace

message_box packed_box(const message& m, bool sending, int buffer, int number, integer offset,
                       std::size_t element_bytes) {
  message_box made;
  made.where = {buffer, number, dense_strides(m.box, element_bytes)};
  made.offset = offset;
  for (const auto& list : m.axes) {
    auto& pieces = made.axes.emplace_back();
    for (const auto& o : list) pieces.push_back({sending ? o.from : o.to, o.start});
  }
  return made;
}

void packed_exchange::place_densely() {
  integer sent = 0, own = 0;
  for (const auto& m : out_) (m.peer == rank_ ? own : sent) += m.count;
  std::vector<integer> outs, ins;
  integer out_end = 0, in_end = own;
  for (const auto& m : out_) {
    outs.push_back(m.peer == rank_ ? sent : out_end);
    if (m.peer != rank_) out_end += m.count;
  }
  for (const auto& m : in_) {
    ins.push_back(m.peer == rank_ ? 0 : in_end);
    if (m.peer != rank_) in_end += m.count;
  }
  place(std::move(outs), sent, std::move(ins), in_end);
}

void packed_exchange::place(std::vector<integer> out_offsets, integer from_elements, std::vector<integer> in_offsets,
                            integer to_elements) {
  out_offsets_ = std::move(out_offsets);
  in_offsets_ = std::move(in_offsets);
  from_elements_ = from_elements;
  const auto bytes = static_cast<integer>(element_bytes_);
  std::vector<message_box> loads;
  int number = 0;
  own_ = {};
  for (std::size_t i = 0; i < in_.size(); ++i) {
    const bool own = in_[i].peer == rank_;
    if (own) own_.to_offset = in_offsets_[i];
    loads.push_back(packed_box(in_[i], false, 0, own ? -1 : number++, in_offsets_[i] * bytes, element_bytes_));
  }
  for (std::size_t i = 0; i < out_.size(); ++i) {
    if (out_[i].peer != rank_) continue;
    own_.from_offset = out_offsets_[i];
    own_.count = out_[i].count;
  }
  to_bytes_ = to_elements * bytes;
  source_ = message_map(to_shape_, loads);
  map_stores();
}

void packed_exchange::map_stores() {
  const auto bytes = static_cast<integer>(element_bytes_);
  std::vector<message_box> stores;
  for (std::size_t i = 0; i < out_.size(); ++i) {
    const bool straight = out_[i].peer == rank_ && !held_;
    const integer offset = straight ? own_.to_offset : out_offsets_[i];
    stores.push_back(packed_box(out_[i], true, straight ? 1 : 0, -1, offset * bytes, element_bytes_));
  }
  keeps_own_ = own_.count > 0 && !held_;
  from_bytes_ = (held_ ? std::max(from_elements_, own_.from_offset + own_.count) : from_elements_) * bytes;
  sink_ = message_map(from_shape_, stores);
}

void packed_exchange::take_care(care wanted) {
  if ((wanted == care::held) == held_) return;
  held_ = !held_;
  map_stores();
}

void packed_exchange::copy_held(const image& from, const image& to) const {
  if (!held_ || own_.count == 0) return;
  std::memcpy(to.mine + own_.to_offset * static_cast<integer>(element_bytes_),
              from.mine + own_.from_offset * static_cast<integer>(element_bytes_),
              static_cast<std::size_t>(own_.count) * element_bytes_);
}

}  // namespace weft::exchange
