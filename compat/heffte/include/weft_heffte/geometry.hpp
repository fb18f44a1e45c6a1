// SPDX-License-Identifier: BSD-3-Clause
// Boxes of indices, both ends included, and how to cut a world of them into one for each rank.
#ifndef WEFT_HEFFTE_GEOMETRY_HPP
#define WEFT_HEFFTE_GEOMETRY_HPP

#include <algorithm>
#include <array>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <vector>

#include "mpi.hpp"

namespace heffte {

template <typename index = int>
struct box3d {
  box3d(std::array<index, 3> first, std::array<index, 3> last) : box3d(first, last, std::array<int, 3>{{0, 1, 2}}) {}
  box3d(std::array<index, 3> first, std::array<index, 3> last, std::array<int, 3> fastest_first)
      : low(first),
        high(last),
        size{{last[0] - first[0] + 1, last[1] - first[1] + 1, last[2] - first[2] + 1}},
        order(fastest_first) {}
  box3d(std::array<index, 2> first, std::array<index, 2> last)
      : box3d(std::array<index, 3>{{first[0], first[1], 0}}, std::array<index, 3>{{last[0], last[1], 0}}) {}
  box3d(std::array<index, 2> first, std::array<index, 2> last, std::array<int, 2> fastest_first)
      : box3d(std::array<index, 3>{{first[0], first[1], 0}}, std::array<index, 3>{{last[0], last[1], 0}},
              std::array<int, 3>{{fastest_first[0], fastest_first[1], 2}}) {}

  bool empty() const { return size[0] <= 0 || size[1] <= 0 || size[2] <= 0; }
  long long count() const {
    return empty()
               ? 0
               : static_cast<long long>(size[0]) * static_cast<long long>(size[1]) * static_cast<long long>(size[2]);
  }
  box3d collide(box3d const other) const {
    if (empty() || other.empty()) return nothing();
    std::array<index, 3> l = low, h = high;
    for (std::size_t a = 0; a < 3; ++a) {
      l[a] = std::max(l[a], other.low[a]);
      h[a] = std::min(h[a], other.high[a]);
    }
    return box3d(l, h, order);
  }
  /// The modes that are kept if `dimension` holds real data.
  box3d r2c(int dimension) const {
    if (empty()) return nothing();
    std::array<index, 3> h = high;
    const std::size_t a = static_cast<std::size_t>(dimension);
    h[a] = low[a] + size[a] / 2;
    return box3d(low, h, order);
  }
  bool is2d() const { return size[0] == 1 || size[1] == 1 || size[2] == 1; }
  bool operator==(box3d const& other) const { return low == other.low && high == other.high; }
  bool operator!=(box3d const& other) const { return !(*this == other); }
  bool ordered_same_as(box3d const& other) const { return order == other.order; }
  int find_order(int dimension) const { return dimension == order[0] ? 0 : dimension == order[1] ? 1 : 2; }
  index osize(int place) const { return size[static_cast<std::size_t>(order[static_cast<std::size_t>(place)])]; }

  std::array<index, 3> const low, high, size;
  std::array<int, 3> const order;  ///< fastest first

 private:
  static box3d nothing() { return box3d(std::array<index, 3>{{0, 0, 0}}, std::array<index, 3>{{-1, -1, -1}}); }
};

template <typename index = int>
using box2d = box3d<index>;

template <typename index>
inline std::ostream& operator<<(std::ostream& os, box3d<index> const box) {
  for (std::size_t a = 0; a < 3; ++a) os << box.low[a] << "  " << box.high[a] << "  (" << box.size[a] << ")\n";
  return os << "(" << box.order[0] << "," << box.order[1] << "," << box.order[2] << ")\n\n";
}

/// The smallest box around all that are not empty.
template <typename index>
inline box3d<index> find_world(std::vector<box3d<index>> const& boxes) {
  std::array<index, 3> low = boxes[0].low, high = boxes[0].high;
  for (auto const& b : boxes) {
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], b.low[a]);
      high[a] = std::max(high[a], b.high[a]);
    }
  }
  return box3d<index>(low, high);
}

template <typename index>
inline bool match(std::vector<box3d<index>> const& a, std::vector<box3d<index>> const& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

template <typename index>
inline bool world_complete(std::vector<box3d<index>> const& boxes, box3d<index> const world) {
  long long together = 0;
  for (auto const& b : boxes) together += b.count();
  if (together < world.count()) throw std::invalid_argument("The provided input boxes do not fill the world box!");
  for (std::size_t a = 0; a < 3; ++a) {
    if (world.low[a] != 0) throw std::invalid_argument("Global box indexing must start from 0!");
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!boxes[i].collide(boxes[j]).empty()) throw std::invalid_argument("Input boxes cannot overlap!");
    }
  }
  return true;
}

/// As square as may be; the smaller factor first.
inline std::array<int, 2> make_procgrid(int const ranks) {
  std::array<int, 2> best = {{1, ranks}};
  for (int i = 1; i * i <= ranks; ++i) {
    if (ranks % i == 0) best = std::array<int, 2>{{i, ranks / i}};
  }
  return best;
}

/// The grid whose boxes have the least surface; the first one found, where several do.
template <typename index>
inline std::array<int, 3> proc_setup_min_surface(box3d<index> const world, int ranks) {
  std::array<int, 3> best = {{1, 1, 1}};
  index least = std::numeric_limits<index>::max();
  for (int i = 1; i <= ranks && i <= world.size[0]; ++i) {
    if (ranks % i != 0) continue;
    for (int j = 1; j <= ranks / i && j <= world.size[1]; ++j) {
      const int k = ranks / (i * j);
      if (i * j * k != ranks || k > world.size[2]) continue;
      const index x = world.size[0] / i, y = world.size[1] / j, z = world.size[2] / k;
      const index surface = x * y + y * z + z * x;
      if (surface < least) {
        least = surface;
        best = std::array<int, 3>{{i, j, k}};
      }
    }
  }
  if (static_cast<long long>(best[0]) * best[1] * best[2] != ranks) {
    throw std::runtime_error("The world box has too few indexes to be cut into one box for each rank.");
  }
  return best;
}

/// Which ranks of a communicator get a box.
struct rank_remap {
  rank_remap() : mpi_rank(-1), size_subcomm(0) {}
  explicit rank_remap(int rank) : mpi_rank(rank), size_subcomm(0) {}
  void set_subranks(std::size_t all, int some) {
    size_subcomm = some;
    map.assign(all, -1);
    for (int i = 0; i < some; ++i) map[static_cast<std::size_t>(i)] = i;
  }
  void set_subranks(MPI_Comm all, MPI_Comm some) {
    const int mine = some == MPI_COMM_NULL ? -1 : mpi::comm_rank(some);
    map.resize(static_cast<std::size_t>(mpi::comm_size(all)));
    MPI_Allgather(&mine, 1, MPI_INT, map.data(), 1, MPI_INT, all);
  }
  bool empty() const { return map.empty(); }

  int const mpi_rank;
  std::vector<int> map;
  int size_subcomm;
};

/// One box for each point of the grid, its first axis running fastest; sizes differ by one at most.
template <typename index>
inline std::vector<box3d<index>> split_world(box3d<index> const world, std::array<int, 3> const grid,
                                             rank_remap const& remap = rank_remap()) {
  auto cut = [&](std::size_t axis, index i) -> index {
    const index parts = static_cast<index>(grid[axis]);
    return world.low[axis] + i * (world.size[axis] / parts) + std::min(i, static_cast<index>(world.size[axis] % parts));
  };
  std::vector<box3d<index>> boxes;
  for (index k = 0; k < grid[2]; ++k) {
    for (index j = 0; j < grid[1]; ++j) {
      for (index i = 0; i < grid[0]; ++i) {
        const std::array<index, 3> low = {{cut(0, i), cut(1, j), cut(2, k)}};
        const std::array<index, 3> high = {{cut(0, i + 1) - 1, cut(1, j + 1) - 1, cut(2, k + 1) - 1}};
        boxes.push_back(box3d<index>(low, high, world.order));
      }
    }
  }
  if (remap.empty()) return boxes;
  const std::array<index, 3> zero = {{0, 0, 0}}, before = {{-1, -1, -1}};
  std::vector<box3d<index>> mapped;
  for (int r : remap.map) {
    mapped.push_back(r < 0 ? box3d<index>(zero, before, world.order) : boxes[static_cast<std::size_t>(r)]);
  }
  return mapped;
}

}  // namespace heffte

#endif
