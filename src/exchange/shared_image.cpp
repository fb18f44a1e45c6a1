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

/// The boxes of one message as they lie in a compact array, which is that of the side `at`.
void add_boxes(std::vector<message_box>& boxes, const message& m, slice overlap::*at, const extents& strides,
               int buffer) {
  message_box made;
  made.where = {buffer, -1, {}};
  const auto combine = [&](auto&& self, std::size_t l) -> void {
    if (l == m.axes.size()) {
      boxes.push_back(made);
      return;
    }
    for (const auto& o : m.axes[l]) {
      const message_box before = made;
      made.axes.push_back({{o.from, 0}});
      made.where.strides.push_back((o.*at).step * strides[l]);
      made.offset += (o.*at).first * strides[l];
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
    : exchange(problem),
      node_(std::move(node)),
      stores_away_(problem.home != problem.from),
      loads_away_(problem.home != problem.to) {
  buffers_.resize(node_.size() + 1);
  const auto bytes = static_cast<integer>(element_bytes_);
  integer end = volume(problem.home.local_shape(rank_)) * bytes;
  const auto place_far = [&](const std::vector<message>& messages, bool sending, std::vector<remote>& placed) {
    std::vector<message_box> boxes;
    for (const auto& m : messages) {
      if (node_rank(m.peer) >= 0) continue;
      end = rounded(end);
      boxes.push_back(packed_box(m, sending, 0, sending ? -1 : static_cast<int>(placed.size()), end, element_bytes_));
      placed.push_back({m.peer, end, m.count});
      end += m.count * bytes;
    }
    return boxes;
  };
  auto stores = place_far(out_, true, sends_), loads = place_far(in_, false, receives_);
  if (stores_away_ && !(stores.empty() && loads.empty())) {
    throw internal_error("only an array in its old distribution can leave the node");
  }
  from_bytes_ = to_bytes_ = end;
  sink_ = map_of(problem.from, problem.home, std::move(stores));
  source_ = map_of(problem.to, problem.home, std::move(loads));
  messages_sent_ = static_cast<integer>(sends_.size());
}

int shared_exchange::node_rank(int rank) const {
  const auto at = std::lower_bound(node_.begin(), node_.end(), rank);
  return at != node_.end() && *at == rank ? static_cast<int>(at - node_.begin()) : -1;
}

access_map shared_exchange::map_of(const distribution& local, const distribution& home,
                                   std::vector<message_box> far) const {
  const extents shape = local.local_shape(rank_);
  if (local == home) {
    const extents strides = compact_strides(shape, element_bytes_);
    if (far.empty()) return plain_map(shape, strides);
    for (const auto& m : out_) {
      if (node_rank(m.peer) >= 0) add_boxes(far, m, &overlap::from, strides, 0);
    }
    return message_map(shape, far);
  }
  for (const auto& m : outgoing(local, home, rank_)) {
    const int at = node_rank(m.peer);
    if (at < 0) continue;
    const extents strides = compact_strides(home.local_shape(m.peer), element_bytes_);
    add_boxes(far, m, &overlap::to, strides, m.peer == rank_ ? 0 : at + 1);
  }
  return message_map(shape, far);
}

local::buffer_list shared_exchange::buffers_at(const image& where) {
  buffers_[0] = where.mine;
  std::copy(where.peers.begin(), where.peers.end(), buffers_.begin() + 1);
  return buffers_;
}

local::buffer_list shared_exchange::sink_buffers(const image& from, const image& /*to*/) { return buffers_at(from); }

local::buffer_list shared_exchange::source_buffers(const image& /*from*/, const image& to) { return buffers_at(to); }

}  // namespace weft::exchange
