// SPDX-License-Identifier: BSD-3-Clause
// Which ranks share memory: a value, so that exchanges are described without MPI for any number of ranks.
#pragma once

#include <vector>

namespace weft::exchange {

class node_map {
 public:
  /// For each rank the first rank of its node.
  explicit node_map(std::vector<int> first) : first_(std::move(first)) {}
  /// So many neighbouring ranks on each node.
  node_map(int ranks, int per_node);

  [[nodiscard]] int ranks() const { return static_cast<int>(first_.size()); }
  [[nodiscard]] int first_of(int rank) const { return first_[static_cast<std::size_t>(rank)]; }
  /// The ranks of the node of `rank`, ascending.
  [[nodiscard]] std::vector<int> members_with(int rank) const;
  /// Whether all ranks share memory.
  [[nodiscard]] bool single() const;

 private:
  std::vector<int> first_;
};

}  // namespace weft::exchange
