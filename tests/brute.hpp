// SPDX-License-Identifier: BSD-3-Clause
// Distributions by their definitions, element by element: nothing here shares code or formulas with
// src/index, so that agreement means something.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "dice.hpp"
#include "weft/distribution.hpp"

namespace weft::testing {

inline std::size_t at(integer i) { return static_cast<std::size_t>(i); }

/// Which of `parts` coordinates gets element j of n if coordinate 0 comes first.
inline int owner_from_first(const split& how, integer j, integer n, int parts) {
  if (how.how == split::kind::cyclic) return static_cast<int>(j / how.block_size % parts);
  if (how.how == split::kind::zigzag) {
    // Deal up 0, 1, ..., p-1, then down: the period is 0 1 .. p-1 0 p-1 .. 1.
    const auto m = static_cast<int>(j % (integer{2} * parts));
    return m < parts ? m : (2 * parts - m) % parts;
  }
  if (how.how == split::kind::half_zigzag) {
    // Deal the even ones up 0, 1, ..., p-1 and the odd ones down: the period is 0 p-1 1 p-2 .. p-1 0.
    const auto m = static_cast<int>(j % (integer{2} * parts));
    return m % 2 == 0 ? m / 2 : parts - 1 - m / 2;
  }
  // Balanced: walk through the parts; the first n % parts have one more.
  integer end = 0;
  for (int s = 0; s < parts; ++s) {
    end += n / parts + (s < n % parts ? 1 : 0);
    if (j < end) return s;
  }
  return -1;
}

/// Which of `parts` coordinates gets element j of n.
inline int owner_of(const split& how, integer j, integer n, int parts) {
  return parts == 1 ? 0 : (owner_from_first(how, j, n, parts) + how.first) % parts;
}

/// The indices of an axis that a point of the grid owns, by dealing lists from the outside in.
inline extents owned_by(integer extent, const chain& splits, const grid& on, const std::vector<int>& point) {
  extents list(at(extent));
  std::iota(list.begin(), list.end(), integer{0});
  for (const auto& s : splits) {
    extents mine;
    for (std::size_t j = 0; j < list.size(); ++j) {
      const int owner = owner_of(s, static_cast<integer>(j), static_cast<integer>(list.size()), on[s.grid_axis]);
      if (owner == point[at(s.grid_axis)]) mine.push_back(list[j]);
    }
    list = std::move(mine);
  }
  return list;
}

/// What `rank` owns of each axis; all empty if it owns nothing.
inline std::vector<extents> owned_by(const distribution& d, int rank) {
  std::vector<extents> lists(d.shape().size());
  if (rank >= d.ranks()) return lists;
  if (d.is_bricks()) {
    const box& b = d.boxes()[at(rank)];
    for (std::size_t l = 0; l < lists.size(); ++l) {
      for (integer i = b.low[l]; i < b.high[l]; ++i) lists[l].push_back(i);
    }
    return lists;
  }
  const auto point = d.on().coordinates(rank);
  for (int g = 0; g < d.on().axes(); ++g) {
    bool named = false;
    for (const auto& splits : d.chains()) {
      for (const auto& s : splits) named = named || s.grid_axis == g;
    }
    if (!named && point[at(g)] != 0) return lists;
  }
  for (std::size_t l = 0; l < lists.size(); ++l) lists[l] = owned_by(d.shape()[l], d.chains()[l], d.on(), point);
  return lists;
}

/// Visits every combination of one entry per list, the last list running fastest.
template <class Visit>
void each_tuple(const extents& counts, Visit visit) {
  for (const integer n : counts) {
    if (n == 0) return;
  }
  extents at_now(counts.size(), 0);
  for (;;) {
    visit(at_now);
    std::size_t l = counts.size();
    while (l > 0 && ++at_now[l - 1] == counts[l - 1]) at_now[--l] = 0;
    if (l == 0) return;
  }
}

inline integer flat_index(const extents& index, const extents& shape) {
  integer flat = 0;
  for (std::size_t l = 0; l < shape.size(); ++l) flat = flat * shape[l] + index[l];
  return flat;
}

/// Global row-major numbers of a rank's elements, in local row-major order.
inline extents global_numbers(const distribution& d, int rank) {
  const auto lists = owned_by(d, rank);
  extents counts, numbers;
  for (const auto& list : lists) counts.push_back(static_cast<integer>(list.size()));
  each_tuple(counts, [&](const extents& position) {
    extents index(position.size());
    for (std::size_t l = 0; l < index.size(); ++l) index[l] = lists[l][at(position[l])];
    numbers.push_back(flat_index(index, d.shape()));
  });
  return numbers;
}

// ---- random distributions

/// A grid of at most `axes` axes with at most `ranks` points; mostly as many points as possible.
inline grid random_grid(dice& d, int ranks, int axes) {
  std::vector<int> shape(at(d.between(1, axes)), 1);
  int left = d.once_in(4) ? d.small(1, ranks) : ranks;
  for (auto& n : shape) {
    std::vector<int> fitting;
    for (int f = 1; f <= left; ++f) {
      if (left % f == 0) fitting.push_back(f);
    }
    n = d.pick(fitting);
    left /= n;
  }
  if (!d.once_in(4)) shape.back() *= left;
  d.shuffle(shape);
  return grid(shape);
}

inline split random_split(dice& d, int grid_axis) {
  switch (d.small(0, 3)) {
    case 0: return {split::kind::cyclic, grid_axis, 1};
    case 1: return {split::kind::cyclic, grid_axis, d.between(2, 5)};
    case 2: return {dice(d).once_in(2) ? split::kind::zigzag : split::kind::half_zigzag, grid_axis, 1};
    default: return {split::kind::block, grid_axis, 1};
  }
}

/// One in four begins anywhere; nothing else that is drawn depends on it.
inline void draw_first(const dice& d, split& how, int points) {
  dice apart(dice(d).word() ^ 0x6669727374U);
  if (apart.once_in(4)) how.first = static_cast<int>(apart.between(0, points - 1));
}

/// Every grid axis goes to some array axis (rarely to none), often several to one.
inline std::vector<chain> random_chains(dice& d, std::size_t axes, const grid& on) {
  std::vector<chain> chains(axes);
  std::vector<int> order(at(on.axes()));
  std::iota(order.begin(), order.end(), 0);
  d.shuffle(order);
  const bool plain_blocks = d.once_in(3);
  for (const int g : order) {
    if (d.once_in(10)) continue;
    auto& target = chains[at(d.between(0, static_cast<integer>(axes) - 1))];
    target.push_back(plain_blocks ? split{split::kind::block, g, 1} : random_split(d, g));
    draw_first(d, target.back(), on[g]);
  }
  return chains;
}

inline void bisect(dice& d, box whole, int ranks, std::vector<box>& boxes) {
  if (ranks == 1) {
    boxes.push_back(std::move(whole));
    return;
  }
  const int left = d.small(1, ranks - 1);
  const auto l = at(d.between(0, static_cast<integer>(whole.low.size()) - 1));
  // Cuts at the ends make empty boxes, which are ordinary.
  const integer cut = d.between(whole.low[l], whole.high[l]);
  box low = whole, high = whole;
  low.high[l] = high.low[l] = cut;
  bisect(d, std::move(low), left, boxes);
  bisect(d, std::move(high), ranks - left, boxes);
}

inline distribution random_bricks(dice& d, const extents& shape, int ranks) {
  std::vector<box> boxes;
  bisect(d, {extents(shape.size(), 0), shape}, ranks, boxes);
  d.shuffle(boxes);
  return distribution::bricks(shape, std::move(boxes));
}

inline distribution random_distribution(dice& d, const extents& shape, int ranks) {
  if (d.once_in(4)) return random_bricks(d, shape, d.once_in(4) ? d.small(1, ranks) : ranks);
  const grid on = random_grid(d, ranks, 4);
  return {shape, on, random_chains(d, shape.size(), on)};
}

/// Extents from `usual`, rarely 0, with a bounded product.
inline extents shape_from(dice& d, const std::vector<integer>& usual, int axes, integer most) {
  extents shape;
  integer left = most;
  for (int l = 0; l < axes; ++l) {
    const integer n = d.once_in(60) ? 0 : std::min(d.pick(usual), std::max<integer>(1, left));
    shape.push_back(n);
    left /= std::max<integer>(1, n);
  }
  d.shuffle(shape);
  return shape;
}

/// Extents that mix 1, 2, primes, odd and even ones.
inline extents random_shape(dice& d, int axes, integer most) {
  static const std::vector<integer> usual{1,  2,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                          12, 13, 15, 16, 17, 19, 21, 23, 24, 30, 31, 37};
  return shape_from(d, usual, axes, most);
}

/// Lengths for which kernels have more than one way.
inline extents long_shape(dice& d, int axes, integer most) {
  static const std::vector<integer> usual{8, 12, 16, 24, 30, 32, 48, 60, 64, 72, 96, 100, 128, 144, 200, 256};
  return shape_from(d, usual, axes, most);
}

/// Axes dealt cyclically, one by one or in blocks, whose extents suit their ranks, or nearly: for algorithms that are
/// parallel inside an axis.
inline distribution random_cyclic(dice& d, extents& shape, int ranks, integer most) {
  const grid on = random_grid(d, ranks, static_cast<int>(std::min<std::size_t>(shape.size(), 3)));
  std::vector<int> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  d.shuffle(order);
  std::vector<chain> chains(shape.size());
  for (int g = 0; g < on.axes(); ++g) {
    const auto axis = at(order[at(g)]);
    const integer p = on[g];
    integer& n = shape[axis];
    const integer before = n;
    integer block = 1;
    switch (d.small(0, 3)) {
      case 0: {
        integer m = d.between(2, 4);
        if (p % m != 0) m = 2;
        n = p * m;
        break;
      }
      case 1: break;
      default:
        if (d.once_in(3)) block = d.between(2, 4);
        n = p * p * block * d.between(1, 4);
    }
    if (volume(shape) > 4 * most) n = before;
    const bool whole_blocks = d.once_in(8);
    chains[axis] = {{whole_blocks ? split::kind::block : split::kind::cyclic, g, whole_blocks ? 1 : block}};
    // Those of ranks in groups begin with the first one only.
    const bool in_groups = p > 1 && n > 0 && n % p == 0 && p % (n / p) == 0;
    if (!in_groups) draw_first(d, chains[axis].back(), on[g]);
  }
  return {shape, on, chains};
}

}  // namespace weft::testing
