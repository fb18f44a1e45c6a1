// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/messages.hpp"

#include <algorithm>

#include "index/chain.hpp"
#include "index/slice.hpp"

namespace weft::exchange {

namespace {

/// Those of `holders` that a rank shares something with.
struct peers_on_axis {
  int rank_offset;
  std::vector<overlap> met;
};

std::vector<overlap> met_with(const axis_part& mine, const axis_part& theirs, bool sending) {
  return sending ? overlaps(mine, theirs) : overlaps(theirs, mine);
}

std::vector<peers_on_axis> peers_along(const distribution& other, int axis, const axis_part& mine, bool sending) {
  std::vector<peers_on_axis> found;
  for (const auto& theirs : holders_along(other, axis)) {
    auto met = met_with(mine, theirs.part, sending);
    if (!met.empty()) found.push_back({theirs.rank_offset, std::move(met)});
  }
  return found;
}

message make_message(int peer, std::vector<std::vector<overlap>> axes) {
  message m{peer, std::move(axes), {}, 1};
  for (const auto& list : m.axes) {
    m.box.push_back(list.back().start + list.back().from.count);
    m.count *= m.box.back();
  }
  return m;
}

std::vector<message> grid_messages(const distribution& other, const std::vector<axis_part>& mine, bool sending) {
  std::vector<std::vector<peers_on_axis>> along;
  for (int l = 0; l < other.axes(); ++l) {
    along.push_back(peers_along(other, l, mine[static_cast<std::size_t>(l)], sending));
  }
  std::vector<message> found;
  std::vector<std::vector<overlap>> axes(along.size());
  const auto combine = [&](auto&& self, std::size_t l, int rank) -> void {
    if (l == along.size()) {
      found.push_back(make_message(rank, axes));
      return;
    }
    for (const auto& peer : along[l]) {
      axes[l] = peer.met;
      self(self, l + 1, rank + peer.rank_offset);
    }
  };
  combine(combine, 0, 0);
  std::sort(found.begin(), found.end(), [](const message& a, const message& b) { return a.peer < b.peer; });
  return found;
}

std::vector<message> brick_messages(const distribution& other, const std::vector<axis_part>& mine, bool sending) {
  std::vector<message> found;
  for (int peer = 0; peer < other.ranks(); ++peer) {
    std::vector<std::vector<overlap>> axes;
    for (int l = 0; l < other.axes(); ++l) {
      auto met = met_with(mine[static_cast<std::size_t>(l)], other.part(peer, l), sending);
      if (met.empty()) break;
      axes.push_back(std::move(met));
    }
    if (static_cast<int>(axes.size()) == other.axes()) found.push_back(make_message(peer, std::move(axes)));
  }
  return found;
}

std::vector<message> messages_of(const distribution& own, const distribution& other, int rank, bool sending) {
  std::vector<axis_part> mine;
  for (int l = 0; l < own.axes(); ++l) mine.push_back(own.part(rank, l));
  return other.is_bricks() ? brick_messages(other, mine, sending) : grid_messages(other, mine, sending);
}

}  // namespace

std::vector<holders> holders_along(const distribution& d, int axis) {
  const chain& splits = d.chains()[static_cast<std::size_t>(axis)];
  const grid& on = d.on();
  std::vector<int> shape;
  for (const auto& s : splits) shape.push_back(on[s.grid_axis]);
  const grid sub(shape);
  std::vector<holders> found;
  found.reserve(static_cast<std::size_t>(sub.size()));
  for (int point = 0; point < sub.size(); ++point) {
    const auto sub_coordinates = sub.coordinates(point);
    std::vector<int> coordinates(static_cast<std::size_t>(on.axes()), 0);
    for (std::size_t i = 0; i < splits.size(); ++i) {
      coordinates[static_cast<std::size_t>(splits[i].grid_axis)] = sub_coordinates[i];
    }
    found.push_back(
        {on.rank(coordinates), part_of(d.shape()[static_cast<std::size_t>(axis)], splits, on, coordinates)});
  }
  return found;
}

std::vector<overlap> overlaps(const axis_part& from, const axis_part& to) {
  std::vector<overlap> found;
  integer start = 0;
  for (const auto& a : from) {
    for (const auto& b : to) {
      const slice met = intersect(a.indices, b.indices);
      if (met.empty()) continue;
      const auto places = [&](const segment& in) {
        const slice numbers{in.indices.position(met.first), std::max<integer>(1, met.step / in.indices.step),
                            met.count};
        return in.positions.at(numbers);
      };
      found.push_back({places(a), places(b), start});
      start += met.count;
    }
  }
  return found;
}

std::vector<message> outgoing(const distribution& from, const distribution& to, int rank) {
  return messages_of(from, to, rank, true);
}

std::vector<message> incoming(const distribution& from, const distribution& to, int rank) {
  return messages_of(to, from, rank, false);
}

std::vector<int> idle_grid_axes(const distribution& from, const distribution& to) {
  if (from.is_bricks() || to.is_bricks() || from.on() != to.on()) return {};
  std::vector<int> idle;
  for (std::size_t l = 0; l < from.chains().size(); ++l) {
    if (from.chains()[l] != to.chains()[l]) continue;
    for (const auto& s : from.chains()[l]) idle.push_back(s.grid_axis);
  }
  std::sort(idle.begin(), idle.end());
  return idle;
}

}  // namespace weft::exchange
