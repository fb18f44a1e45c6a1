// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/packed.hpp"

#include <algorithm>
#include <tuple>

namespace weft::exchange {

namespace {

extents dense_strides(const extents& box, std::size_t element_bytes) {
  extents strides(box.size());
  auto stride = static_cast<integer>(element_bytes);
  for (std::size_t l = box.size(); l-- > 0; stride *= box[l]) strides[l] = stride;
  return strides;
}

}  // namespace

mailing::mailing(const exchange_problem& problem)
    : out(outgoing(problem.from, problem.to, problem.rank)), in(incoming(problem.from, problem.to, problem.rank)) {}

message_box packed_box(const message& m, bool sending, int buffer, int number, integer offset,
                       std::size_t element_bytes) {
  message_box result;
  result.where = {buffer, number, dense_strides(m.box, element_bytes)};
  result.offset = offset;
  for (const auto& list : m.axes) {
    auto& pieces = result.axes.emplace_back();
    for (const auto& o : list) pieces.push_back({sending ? o.from : o.to, o.start});
  }
  return result;
}

image_map image_of(const exchange_problem& problem, const distribution& at, const std::vector<message_box>& boxes,
                   const local::milestones& parts) {
  return message_image(at.local_shape(problem.rank), boxes, problem.cells_per_box, {parts.axis, parts.positions});
}

message_places dense_places(const mailing& all, int rank) {
  message_places found;
  integer own = 0;
  for (const auto& m : all.out) (m.peer == rank ? own : found.from_elements) += m.count;
  integer out_end = 0;
  found.to_elements = own;
  for (const auto& m : all.out) {
    found.out.push_back(m.peer == rank ? found.from_elements : out_end);
    if (m.peer != rank) out_end += m.count;
  }
  for (const auto& m : all.in) {
    found.in.push_back(m.peer == rank ? 0 : found.to_elements);
    if (m.peer != rank) found.to_elements += m.count;
  }
  return found;
}

geometry packed_geometry(const exchange_problem& problem, const mailing& all, const message_places& places, bool held) {
  const auto bytes = static_cast<integer>(problem.element_bytes);
  const auto is_own = [&](const message& m) { return m.peer == problem.rank; };
  geometry result;
  std::vector<message_box> loads, stores;
  int number = 0;
  integer own_to = 0;
  for (std::size_t i = 0; i < all.in.size(); ++i) {
    const message& m = all.in[i];
    const integer offset = places.in[i] * bytes;
    const int message = is_own(m) ? -1 : number++;
    if (is_own(m)) own_to = offset;
    loads.push_back(packed_box(m, false, 0, message, offset, problem.element_bytes));
    if (!is_own(m)) result.receives.push_back({0, message, m.peer, offset, m.count});
  }
  integer from_elements = places.from_elements;
  for (std::size_t i = 0; i < all.out.size(); ++i) {
    const message& m = all.out[i];
    const integer offset = places.out[i] * bytes;
    const bool straight = is_own(m) && !held;
    stores.push_back(packed_box(m, true, straight ? 1 : 0, -1, straight ? own_to : offset, problem.element_bytes));
    if (!is_own(m)) {
      result.sends.push_back({0, -1, m.peer, offset, m.count});
    } else if (held) {
      result.held = {offset, own_to, m.count * bytes};
      from_elements = std::max(from_elements, places.out[i] + m.count);
    } else {
      result.keeps_own = true;
    }
  }
  result.from_bytes = from_elements * bytes;
  result.to_bytes = places.to_elements * bytes;
  result.sink = image_of(problem, problem.from, stores);
  result.source = image_of(problem, problem.to, loads);
  order_sends(result.sends, problem.rank);
  count_traffic(result, all, problem);
  return result;
}

geometry dense_geometry(const exchange_problem& problem, int way) {
  const mailing all(problem);
  return packed_geometry(problem, all, dense_places(all, problem.rank), way == static_cast<int>(care::held));
}

void count_traffic(geometry& g, const mailing& all, const exchange_problem& problem) {
  g.messages_sent = static_cast<integer>(g.sends.size());
  g.bytes_sent = 0;
  for (const auto& m : all.out) {
    if (m.peer != problem.rank) g.bytes_sent += m.count * static_cast<integer>(problem.element_bytes);
  }
}

void order_sends(std::vector<parcel>& sends, int rank) {
  std::ranges::stable_sort(sends, {}, [&](const parcel& p) { return std::tuple(p.when, p.peer < rank, p.peer); });
}

std::vector<int> packed_ways(const exchange_problem& /*problem*/) { return {0, static_cast<int>(care::held)}; }

}  // namespace weft::exchange
