// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a plan, and who shares memory.
#pragma once

#include <memory>
#include <string>

#include "base/memory.hpp"
#include "exchange/nodes.hpp"
#include "mpi/communicator.hpp"

namespace weft::device {
class device;
}

namespace weft::planner {

struct crew {
  /// Collective.
  explicit crew(const mpi::communicator& ranks);

  mpi::communicator all, node;
  std::shared_ptr<const exchange::node_map> nodes;
  std::shared_ptr<base::memory_space> shared;  ///< memory that the ranks of the node share
  const device::device* on = nullptr;          ///< whose memory that is; null: the host's
  int ranks_of_device = 1;                     ///< the most that share one
  std::string devices;                         ///< what rank 0 has, and how many share one, in words

  /// With arrays in memory of the device that options::device names. Collective; throws the same error on every rank if
  /// one has none.
  void use_device(const std::string& named);
  [[nodiscard]] bool share_one_device() const {
    return on != nullptr && all.size() > 1 && ranks_of_device == all.size();
  }
  /// Memory of this rank alone.
  [[nodiscard]] base::memory_space& own() const;
};

}  // namespace weft::planner
