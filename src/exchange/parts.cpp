// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/parts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace weft::exchange {

namespace {

/// A part has at least so many bytes: small enough that a few of them stay in a core's cache, large enough that
/// messages are worth their cost.
constexpr integer part_bytes = integer{256} << 10;
constexpr integer least_message_bytes = integer{16} << 10;
/// Between nodes: what a peer sends of a part.
constexpr integer far_message_bytes = integer{128} << 10;
constexpr integer most_far_parts = 128;
/// A message of so many pieces takes long enough as it is, and MPI looks at all of them again and again.
constexpr integer most_pieces = 1024;

/// A bound of the ranks that send to one.
integer most_peers(const exchange_problem& problem) {
  integer ranks = std::max(problem.from.ranks(), problem.to.ranks());
  for (const int g : idle_grid_axes(problem.from, problem.to)) ranks /= problem.from.on()[g];
  return ranks;
}

}  // namespace

integer parts_of(integer array_bytes, integer peers, bool between_nodes) {
  if (between_nodes) {
    return std::clamp(array_bytes / (std::max<integer>(1, peers) * far_message_bytes), integer{1}, most_far_parts);
  }
  return std::max<integer>(1, array_bytes / std::max(part_bytes, peers * least_message_bytes));
}

bool leaves_node(const exchange_problem& problem) {
  const auto far = [&](const message& m) {
    return problem.nodes->first_of(m.peer) != problem.nodes->first_of(problem.rank);
  };
  return problem.nodes && !problem.nodes->single() &&
         std::ranges::any_of(incoming(problem.from, problem.to, problem.rank), far);
}

void divide_between_nodes(geometry& g, const exchange_problem& problem) {
  const auto bytes = static_cast<integer>(problem.element_bytes);
  // Tests lower the count limit to meet what large messages meet: let them meet pieces too.
  const integer most = std::clamp(unasked_bytes / bytes, integer{1}, problem.count_limit);
  for (auto* parcels : {&g.sends, &g.receives}) {
    std::vector<parcel> pieces;
    for (const parcel& p : *parcels) {
      const bool near = !problem.nodes || problem.nodes->first_of(p.peer) == problem.nodes->first_of(problem.rank);
      const integer count = near ? 1 : std::min((p.count + most - 1) / most, most_pieces);
      for (integer i = 0; i < count; ++i) {
        const integer begin = p.count * i / count, end = p.count * (i + 1) / count;
        pieces.push_back({p.when, p.message, p.peer, p.offset + begin * bytes, end - begin});
      }
    }
    *parcels = std::move(pieces);
  }
  g.messages_sent = std::ssize(g.sends);
}

double usual_parts_of(double bytes, integer messages) {
  const double of_each = bytes / static_cast<double>(std::max<integer>(1, messages));
  return std::clamp(std::floor(of_each / static_cast<double>(least_part_bytes)), 1.0,
                    static_cast<double>(most_usual_parts));
}

int axis_of_parts(const exchange_problem& problem, integer most_parts) {
  // All ranks must choose alike, so it is the one that suits rank 0: long, and with all of it in every message, so
  // that every part goes to all peers.
  constexpr int somebody = 0;
  const auto shape = problem.from.local_shape(somebody);
  const auto messages = outgoing(problem.from, problem.to, somebody);
  int chosen = -1;
  std::pair<bool, integer> merit;
  for (const int axis : problem.producer_axes) {
    const auto l = static_cast<std::size_t>(axis);
    const bool whole =
        std::ranges::all_of(messages, [&](const message& m) { return m.axes[l].size() == 1 && m.box[l] == shape[l]; });
    const std::pair<bool, integer> here{whole, std::min(shape[l], most_parts)};
    if (chosen >= 0 && here <= merit) continue;
    chosen = axis;
    merit = here;
  }
  return chosen;
}

message rows_of(message m, std::size_t axis, integer begin, integer count) {
  overlap& o = m.axes[axis].front();
  const slice rows{begin, 1, count};
  o.from = o.from.at(rows);
  o.to = o.to.at(rows);
  m.count = m.count / m.box[axis] * count;
  m.box[axis] = count;
  return m;
}

cutting::cutting(const exchange_problem& problem, bool between_nodes)
    : to_(problem.to),
      element_bytes_(static_cast<integer>(problem.element_bytes)),
      peers_(most_peers(problem)),
      most_parts_(problem.parts),
      between_nodes_(between_nodes),
      count_limit_(problem.count_limit) {
  choose_axis(problem.consumer_axes);
}

/// All ranks must choose alike, so it is the axis that suits rank 0: one of enough rows. Never the contiguous one, of
/// whose parts the producer would store a few elements here and there.
void cutting::choose_axis(const std::vector<int>& from) {
  constexpr int somebody = 0;
  constexpr integer enough = 8;
  const auto shape = to_.local_shape(somebody);
  integer merit = 1;
  for (const int l : from) {
    const integer here = std::min(shape[static_cast<std::size_t>(l)], enough);
    if (l + 1 == to_.axes() || here <= merit) continue;
    merit = here;
    axis_ = static_cast<std::size_t>(l);
    cuts_ = true;
  }
}

std::vector<integer> cutting::bounds(int rank) const {
  const auto shape = to_.local_shape(rank);
  const integer rows = shape[axis_];
  // Tests lower the count limit to meet what large messages meet: let them meet parts too.
  integer parts =
      std::max(parts_of(volume(shape) * element_bytes_, peers_, between_nodes_), volume(shape) / count_limit_);
  parts = cuts_ ? std::clamp<integer>(parts, 1, std::max<integer>(1, rows)) : 1;
  if (most_parts_ > 0) parts = std::min(parts, most_parts_);
  std::vector<integer> found;
  const integer step = rows_to_align(shape);
  parts = std::min(parts, std::max<integer>(1, rows / step));
  for (integer k = 0; k < parts; ++k) found.push_back(rows * k / parts / step * step);
  found.push_back(rows);
  return found;
}

/// Rows of the array, stored one after the other, after which one begins at a cache line again.
integer cutting::rows_to_align(const extents& shape) const {
  constexpr integer line = 64;
  integer row = element_bytes_;
  for (std::size_t l = axis_ + 1; l < shape.size(); ++l) row *= shape[l];
  return line / std::gcd(line, row);
}

/// Where rows are aligned, those along the cut axis are slowest, so that the producer sees one box. Where they are
/// not, the box is in the order of the array, so that the consumer can join its rows.
extents cutting::strides(const extents& box, int rank) const {
  const bool slowest = rows_to_align(to_.local_shape(rank)) == 1;
  extents result(box.size());
  integer stride = element_bytes_;
  for (std::size_t l = box.size(); l-- > 0;) {
    if (slowest && l == axis_) continue;
    result[l] = stride;
    stride *= box[l];
  }
  if (slowest) result[axis_] = stride;
  return result;
}

slice terms_between(const slice& s, integer begin, integer end) {
  const auto before = [&](integer position) {
    return std::clamp((position - s.first + s.step - 1) / s.step, integer{0}, s.count);
  };
  return {before(begin), 1, before(end) - before(begin)};
}

message part_of(const message& m, std::size_t axis, integer begin, integer end) {
  message result = m;
  result.axes[axis].clear();
  result.box[axis] = 0;
  for (const auto& o : m.axes[axis]) {
    const slice terms = terms_between(o.to, begin, end);
    if (terms.empty()) continue;
    result.axes[axis].push_back({o.from.at(terms), o.to.at(terms), result.box[axis]});
    result.box[axis] += terms.count;
  }
  result.count = m.count / m.box[axis] * result.box[axis];
  return result;
}

}  // namespace weft::exchange
