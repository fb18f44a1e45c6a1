// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/traffic.hpp"

#include <algorithm>

#include "index/slice.hpp"

namespace weft::exchange {

namespace {

integer common_elements(const axis_part& a, const axis_part& b) {
  integer sum = 0;
  for (const auto& mine : a) {
    for (const auto& theirs : b) sum += intersect(mine.indices, theirs.indices).count;
  }
  return sum;
}

/// Calls visit(peer, elements) for every peer that `rank` shares elements with.
template <class Visit>
void each_brick(const std::vector<axis_part>& mine, const std::vector<box>& boxes, Visit visit) {
  for (std::size_t peer = 0; peer < boxes.size(); ++peer) {
    integer elements = 1;
    for (std::size_t l = 0; l < mine.size() && elements > 0; ++l) {
      const slice theirs{boxes[peer].low[l], 1, boxes[peer].high[l] - boxes[peer].low[l]};
      integer common = 0;
      for (const auto& s : mine[l]) common += intersect(s.indices, theirs).count;
      elements *= common;
    }
    if (elements > 0) visit(static_cast<int>(peer), elements);
  }
}

template <class Visit>
void each_point(const std::vector<axis_part>& mine, const std::vector<std::vector<holders>>& axes, Visit visit) {
  struct peers {
    int rank_offset;
    integer elements;
  };
  std::vector<std::vector<peers>> along(mine.size());
  for (std::size_t l = 0; l < mine.size(); ++l) {
    for (const auto& theirs : axes[l]) {
      const integer elements = common_elements(mine[l], theirs.part);
      if (elements > 0) along[l].push_back({theirs.rank_offset, elements});
    }
  }
  const auto combine = [&](auto&& self, std::size_t l, int peer, integer elements) -> void {
    if (l == along.size()) return visit(peer, elements);
    for (const auto& p : along[l]) self(self, l + 1, peer + p.rank_offset, elements * p.elements);
  };
  combine(combine, 0, 0, 1);
}

}  // namespace

traffic_counter::side::side(const distribution& d) : at(d) {
  for (int l = 0; l < d.axes() && !d.is_bricks(); ++l) axes.push_back(holders_along(d, l));
}

traffic traffic_counter::between(const side& own, const side& other, int rank) const {
  traffic all;
  const auto count = [&](int peer, integer elements) {
    if (peer == rank) return;
    const bool near = peer / ranks_per_node_ == rank / ranks_per_node_;
    (near ? all.near_messages : all.far_messages) += 1;
    (near ? all.near_elements : all.far_elements) += elements;
  };
  std::vector<axis_part> mine;
  mine.reserve(static_cast<std::size_t>(own.at.axes()));
  for (int l = 0; l < own.at.axes(); ++l) mine.push_back(own.at.part(rank, l));
  if (other.at.is_bricks()) {
    each_brick(mine, other.at.boxes(), count);
  } else {
    each_point(mine, other.axes, count);
  }
  return all;
}

}  // namespace weft::exchange
