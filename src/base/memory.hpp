// SPDX-License-Identifier: BSD-3-Clause
// Where memory comes from.
#pragma once

#include <cstdint>

#include "weft/memory.hpp"

namespace weft::base {

/// A kind of memory: the process's own, one that the ranks of a node share, that of a device.
class memory_space {
 public:
  memory_space() = default;
  memory_space(const memory_space&) = delete;
  memory_space& operator=(const memory_space&) = delete;
  virtual ~memory_space() = default;

  /// At least at a cache line, its contents arbitrary; no bytes are a block too. Throws buffer_error if there is no
  /// room.
  [[nodiscard]] virtual memory allocate(std::size_t bytes) = 0;
  /// Whether anybody who allocates together says yes: memory that ranks share is allocated by all of them at once, who
  /// then say so together. Collective as allocate() is.
  [[nodiscard]] virtual bool anybody(bool yes) { return yes; }
};

/// Of memory that this machine has.
[[nodiscard]] std::uint64_t machine_bytes();

/// Memory of this process alone.
[[nodiscard]] memory_space& host();

}  // namespace weft::base
