#include "exchange/parts.hpp"

#include <algorithm>
#include <utility>

namespace weft::exchange {

namespace {

/// A part has at least so many bytes: small enough that a few of them stay in a core's cache, large enough that
/// messages are worth their cost.
constexpr integer part_bytes = integer{256} << 10;
constexpr integer least_message_bytes = integer{16} << 10;

/// A bound of the ranks that send to one.
integer most_peers(const exchange_problem& problem) {
  integer ranks = std::max(problem.from.ranks(), problem.to.ranks());
  for (const int g : idle_grid_axes(problem.from, problem.to)) ranks /= problem.from.on()[g];
  return ranks;
}

}  // namespace

integer parts_of(integer array_bytes, integer peers) {
  return std::max<integer>(1, array_bytes / std::max(part_bytes, peers * least_message_bytes));
}

cutting::cutting(const exchange_problem& problem)
    : to_(problem.to),
      element_bytes_(static_cast<integer>(problem.element_bytes)),
      peers_(most_peers(problem)),
      most_parts_(problem.parts),
      count_limit_(problem.count_limit) {
  choose_axis(problem.consumer_axes);
}

/// All ranks must choose alike, so it is the axis that suits rank 0: one of enough rows, the contiguous one as a
/// last resort.
void cutting::choose_axis(const std::vector<int>& from) {
  constexpr int somebody = 0;
  constexpr integer enough = 8;
  const auto shape = to_.local_shape(somebody);
  std::pair<integer, bool> merit{1, true};
  for (const int l : from) {
    const std::pair here{std::min(shape[static_cast<std::size_t>(l)], enough), l + 1 < to_.axes()};
    if (here <= merit) continue;
    merit = here;
    axis_ = static_cast<std::size_t>(l);
    cuts_ = true;
  }
}

std::vector<integer> cutting::bounds(int rank) const {
  const auto shape = to_.local_shape(rank);
  const integer rows = shape[axis_];
  // Tests lower the count limit to meet what large messages meet: let them meet parts too.
  integer parts = std::max(parts_of(volume(shape) * element_bytes_, peers_), volume(shape) / count_limit_);
  parts = cuts_ ? std::clamp<integer>(parts, 1, std::max<integer>(1, rows)) : 1;
  if (most_parts_ > 0) parts = std::min(parts, most_parts_);
  std::vector<integer> found;
  for (integer k = 0; k <= parts; ++k) found.push_back(rows * k / parts);
  return found;
}

slice terms_between(const slice& s, integer begin, integer end) {
  const auto before = [&](integer position) {
    return std::clamp((position - s.first + s.step - 1) / s.step, integer{0}, s.count);
  };
  return {before(begin), 1, before(end) - before(begin)};
}

message_part part_of(const message& m, std::size_t axis, integer begin, integer end) {
  message_part made;
  for (const auto& o : m.axes[axis]) {
    const slice terms = terms_between(o.to, begin, end);
    if (terms.empty()) continue;
    made.pieces.push_back({o.from.at(terms), o.to.at(terms), made.rows});
    made.rows += terms.count;
  }
  return made;
}

extents strides_by(const extents& box, std::size_t axis, std::size_t element_bytes) {
  extents strides(box.size());
  auto stride = static_cast<integer>(element_bytes);
  for (std::size_t l = box.size(); l-- > 0;) {
    if (l == axis) continue;
    strides[l] = stride;
    stride *= box[l];
  }
  strides[axis] = stride;
  return strides;
}

}  // namespace weft::exchange
