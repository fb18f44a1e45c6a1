// SPDX-License-Identifier: BSD-3-Clause
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
  message_box result;
  result.where = {buffer, -1, {}};
  const auto combine = [&](auto&& self, std::size_t l) -> void {
    if (l == m.axes.size()) {
      boxes.push_back(result);
      return;
    }
    for (const auto& o : m.axes[l]) {
      const message_box before = result;
      result.axes.push_back({{o.from, 0}});
      result.where.strides.push_back((o.*at).step * strides[l]);
      result.offset += (o.*at).first * strides[l];
      self(self, l + 1);
      result = before;
    }
  };
  combine(combine, 0);
}

enum home_way : int { usual_home, other_home, home_before };

const distribution& home_of(const exchange_problem& problem, int way) {
  if (way == home_before) return *problem.stays_at;
  return problem.into_output != (way == other_home) ? problem.to : problem.from;
}

/// Describes one exchange.
class describer {
 public:
  describer(const exchange_problem& problem, const distribution& home)
      : problem_(problem), home_(home), all_(problem), node_(problem.nodes->members_with(problem.rank)) {}

  /// With messages of its own for each rank of another node.
  geometry describe() {
    far_mail far;
    far.end = end_of_array(problem_, home_, problem_.rank);
    far.stores = place_far(all_.out, true, far.sends, far.end);
    far.loads = place_far(all_.in, false, far.receives, far.end);
    return describe(std::move(far));
  }

  geometry describe(far_mail far) {
    const bool stores_away = home_ != problem_.from, loads_away = home_ != problem_.to;
    const bool one_node = problem_.nodes->single();
    result_.one_image = true;
    result_.home = home_;
    result_.from_is_array = one_node && !stores_away;
    result_.to_is_array = one_node && !loads_away;
    if (stores_away) result_.before = preparation::meeting;
    result_.arrives_later = loads_away;
    if (stores_away && !(far.stores.empty() && far.loads.empty())) {
      throw internal_error("only an array in its old distribution can leave the node");
    }
    result_.from_bytes = result_.to_bytes = far.end;
    result_.sends = std::move(far.sends);
    result_.receives = std::move(far.receives);
    result_.sink = map_of(problem_.from, std::move(far.stores));
    result_.source = map_of(problem_.to, std::move(far.loads));
    order_sends(result_.sends, problem_.rank);
    count_traffic(result_, all_, problem_);
    return std::move(result_);
  }

 private:
  [[nodiscard]] int node_rank(int rank) const {  // -1: on another node
    const auto at = std::ranges::lower_bound(node_, rank);
    return at != node_.end() && *at == rank ? static_cast<int>(at - node_.begin()) : -1;
  }

  /// Messages to or from other nodes, behind `end`.
  std::vector<message_box> place_far(const std::vector<message>& messages, bool sending, std::vector<parcel>& placed,
                                     integer& end) const {
    std::vector<message_box> boxes;
    for (const auto& m : messages) {
      if (node_rank(m.peer) >= 0) continue;
      end = to_cache_line(end);
      const int number = sending ? -1 : static_cast<int>(placed.size());
      boxes.push_back(packed_box(m, sending, 0, number, end, problem_.element_bytes));
      placed.push_back({0, number, m.peer, end, m.count});
      end += m.count * static_cast<integer>(problem_.element_bytes);
    }
    return boxes;
  }

  /// Where the elements of a local array are at home, but for those in `far`, messages to or from other nodes.
  [[nodiscard]] image_map map_of(const distribution& local, std::vector<message_box> far) const {
    const extents shape = local.local_shape(problem_.rank);
    if (local == home_) {
      const extents strides = compact_strides(shape, problem_.element_bytes);
      if (far.empty()) return plain_map(shape, strides);
      for (const auto& m : all_.out) {
        if (node_rank(m.peer) >= 0) add_boxes(far, m, &overlap::from, strides, 0);
      }
      return image_of(problem_, local, far);
    }
    for (const auto& m : outgoing(local, home_, problem_.rank)) {
      const int at = node_rank(m.peer);
      if (at < 0) continue;
      const extents strides = compact_strides(home_.local_shape(m.peer), problem_.element_bytes);
      add_boxes(far, m, &overlap::to, strides, m.peer == problem_.rank ? 0 : at + 1);
    }
    return image_of(problem_, local, far);
  }

  const exchange_problem& problem_;
  const distribution& home_;
  mailing all_;
  std::vector<int> node_;  // ranks that share memory, ascending
  geometry result_;
};

}  // namespace

std::vector<int> shared_ways(const exchange_problem& problem) {
  if (!problem.nodes->single()) return {usual_home};
  return problem.stays_at ? std::vector<int>{usual_home, other_home, home_before}
                          : std::vector<int>{usual_home, other_home};
}

geometry shared_geometry(const exchange_problem& problem, int way) {
  return describer(problem, home_of(problem, way)).describe();
}

std::vector<rank_group> shared_groups(const exchange_problem& problem, const geometry& g) {
  const bool stores_away = g.before == preparation::meeting, loads_away = g.arrives_later;
  return {neighbours_of(problem, problem.from, stores_away ? g.home : problem.to),
          neighbours_of(problem, problem.from, problem.to),
          neighbours_of(problem, loads_away ? g.home : problem.from, problem.to)};
}

geometry shared_geometry(const exchange_problem& problem, far_mail far) {
  return describer(problem, problem.from).describe(std::move(far));
}

integer end_of_array(const exchange_problem& problem, const distribution& home, int rank) {
  return volume(home.local_shape(rank)) * static_cast<integer>(problem.element_bytes);
}

integer to_cache_line(integer bytes) {
  constexpr integer line = 64;
  return (bytes + line - 1) / line * line;
}

}  // namespace weft::exchange
