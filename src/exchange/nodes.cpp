// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/nodes.hpp"

#include <algorithm>

namespace weft::exchange {

node_map::node_map(int ranks, int per_node) {
  for (int r = 0; r < ranks; ++r) first_.push_back(r / per_node * per_node);
}

std::vector<int> node_map::members_with(int rank) const {
  std::vector<int> members;
  for (int r = 0; r < ranks(); ++r) {
    if (first_of(r) == first_of(rank)) members.push_back(r);
  }
  return members;
}

bool node_map::single() const {
  return std::ranges::all_of(first_, [](int first) { return first == 0; });
}

}  // namespace weft::exchange
