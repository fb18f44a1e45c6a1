// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a plan, and who shares memory.
#pragma once

#include <memory>

#include "base/memory.hpp"
#include "device/device.hpp"
#include "exchange/nodes.hpp"
#include "mpi/communicator.hpp"

namespace weft::planner {

struct crew {
  /// Collective.
  explicit crew(const mpi::communicator& ranks);

  mpi::communicator all, node;
  std::shared_ptr<const exchange::node_map> nodes;
  std::shared_ptr<base::memory_space> shared;  ///< memory that the ranks of the node share
  const device::device* on = nullptr;          ///< whose memory that is; null: the host's

  /// With arrays in memory of the named device, one for each rank of a node as far as they go. Collective; throws the
  /// same error on every rank if one has none.
  void use_device(const std::string& kind);
  /// Memory of this rank alone.
  [[nodiscard]] base::memory_space& own() const { return on != nullptr ? on->space() : base::host(); }
};

}  // namespace weft::planner
