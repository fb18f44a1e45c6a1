#include "exchange/shared_image.hpp"

#include <algorithm>

#include "exchange/packed.hpp"
#include "weft/error.hpp"
#include "weft/layout.hpp"

namespace weft::exchange {

namespace {

extents compact_strides(const extents& shape, std::size_t element_bytes) {
  extents strides = row_major(shape).strides;
  for (auto& s : strides) s *= static_cast<integer>(element_bytes);
  return strides;
}

/// The boxes of one message as they lie in a compact array. `here` is the side whose positions the map
/// is for, `there` the side that holds the array.
void add_boxes(std::vector<message_box>& boxes, const message& m, slice overlap::*here, slice overlap::*there,
               const extents& strides, int buffer) {
  message_box made;
  made.where = {buffer, -1, {}};
  const auto combine = [&](auto&& self, std::size_t l) -> void {
    if (l == m.axes.size()) {
      boxes.push_back(made);
      return;
    }
    for (const auto& o : m.axes[l]) {
      const message_box before = made;
      made.axes.push_back({{o.*here, 0}});
      made.where.strides.push_back((o.*there).step * strides[l]);
      made.offset += (o.*there).first * strides[l];
      self(self, l + 1);
      made = before;
    }
  };
  combine(combine, 0);
}

constexpr integer cache_line = 64;
integer rounded(integer bytes) { return (bytes + cache_line - 1) / cache_line * cache_line; }

}  // namespace

shared_exchange::shared_exchange(const exchange_problem& problem, std::vector<int> node)
    : exchange(problem), push_(problem.push), node_(std::move(node)) {
  // One more than the node's ranks: messages from other nodes lie in this rank's own image.
  buffers_.resize(node_.size() + 1);
  if (push_) {
    map_push(problem);
  } else {
    map_pull(problem);
  }
  messages_sent_ = static_cast<integer>(sends_.size());
}

int shared_exchange::node_rank(int rank) const {
  const auto at = std::lower_bound(node_.begin(), node_.end(), rank);
  return at != node_.end() && *at == rank ? static_cast<int>(at - node_.begin()) : -1;
}

void shared_exchange::map_pull(const exchange_problem& problem) {
  const auto own_strides = compact_strides(from_shape_, element_bytes_);
  const auto bytes = static_cast<integer>(element_bytes_);
  integer end = volume(from_shape_) * bytes;
  std::vector<message_box> stores, loads;
  for (const auto& m : out_) {
    if (node_rank(m.peer) >= 0) {
      add_boxes(stores, m, &overlap::from, &overlap::from, own_strides, 0);
      continue;
    }
    end = rounded(end);
    stores.push_back(packed_box(m, true, 0, -1, end, element_bytes_));
    sends_.push_back({m.peer, end, m.count});
    end += m.count * bytes;
  }
  for (const auto& m : in_) {
    const int at = node_rank(m.peer);
    if (at >= 0) {
      const auto strides = compact_strides(problem.from.local_shape(m.peer), element_bytes_);
      add_boxes(loads, m, &overlap::to, &overlap::from, strides, at);
      continue;
    }
    end = rounded(end);
    const auto number = static_cast<int>(receives_.size());
    loads.push_back(packed_box(m, false, static_cast<int>(node_.size()), number, end, element_bytes_));
    receives_.push_back({m.peer, end, m.count});
    end += m.count * bytes;
  }
  from_bytes_ = to_bytes_ = end;
  // Where nothing leaves the node, the producer may see one plain array.
  sink_ = sends_.empty() ? plain_map(from_shape_, own_strides) : message_map(from_shape_, stores);
  source_ = message_map(to_shape_, loads);
}

void shared_exchange::map_push(const exchange_problem& problem) {
  std::vector<message_box> stores;
  for (const auto& m : out_) {
    const int at = node_rank(m.peer);
    if (at < 0) throw internal_error("a push cannot leave the node");
    add_boxes(stores, m, &overlap::from, &overlap::to, compact_strides(problem.to.local_shape(m.peer), element_bytes_),
              at);
  }
  sink_ = message_map(from_shape_, stores);
  source_ = plain_map(to_shape_, compact_strides(to_shape_, element_bytes_));
  from_bytes_ = to_bytes_ = volume(to_shape_) * static_cast<integer>(element_bytes_);
}

local::buffer_list shared_exchange::sink_buffers(const image& from, const image& to) {
  if (!push_) {
    buffers_[0] = from.mine;
  } else {
    std::copy(to.peers.begin(), to.peers.end(), buffers_.begin());
  }
  return buffers_;
}

local::buffer_list shared_exchange::source_buffers(const image& from, const image& to) {
  if (push_) {
    buffers_[0] = to.mine;
  } else {
    std::copy(from.peers.begin(), from.peers.end(), buffers_.begin());
    buffers_[node_.size()] = from.mine;
  }
  return buffers_;
}

}  // namespace weft::exchange
