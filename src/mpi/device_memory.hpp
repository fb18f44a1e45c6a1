// SPDX-License-Identifier: BSD-3-Clause
// Memory of devices that all ranks of a node see.
#pragma once

#include "base/memory.hpp"
#include "device/device.hpp"
#include "mpi/communicator.hpp"

namespace weft::mpi {

/// Each rank's block is in its own device's memory, and the others open it by its handle: allocating is collective
/// among them. A block that others still have open outlives its owner's last use of it.
class device_node_space final : public base::memory_space {
 public:
  device_node_space(communicator node, const device::device& on) : node_(std::move(node)), on_(on) {}
  [[nodiscard]] memory allocate(std::size_t bytes) override;
  [[nodiscard]] bool anybody(bool yes) override;

 private:
  communicator node_;
  const device::device& on_;
};

}  // namespace weft::mpi
