// SPDX-License-Identifier: BSD-3-Clause
// Memory that all ranks of a node see.
//
// Mapped POSIX shared memory rather than an MPI window, for three reasons: freeing it is not
// collective, so plans may be destroyed in any order without a hang; too small a /dev/shm is an error
// when it is allocated, not a bus error when it is touched; and blocks are aligned to pages.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "mpi/communicator.hpp"
#include "weft/index.hpp"

namespace weft::mpi {

/// Each rank's block, and the addresses of its peers' blocks in this process.
class shared_memory {
 public:
  shared_memory() = default;
  /// Collective over `node`, whose ranks must share memory. Throws buffer_error on all of them if the
  /// node's shared memory has not enough room.
  shared_memory(const communicator& node, integer bytes);
  shared_memory(shared_memory&& other) noexcept { swap(other); }
  shared_memory& operator=(shared_memory&& other) noexcept {
    swap(other);
    return *this;
  }
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;
  ~shared_memory();

  [[nodiscard]] std::byte* mine() const { return mine_; }
  /// By rank of the node's communicator.
  [[nodiscard]] std::span<std::byte* const> peers() const { return peers_; }

 private:
  void map_all(const communicator& node, std::size_t bytes);
  void unmap() noexcept;
  void swap(shared_memory& other) noexcept;

  std::byte* mine_ = nullptr;
  std::vector<std::byte*> peers_;
  std::vector<std::size_t> bytes_;  // mapped, by rank
};

/// Memory that the ranks of a node share: allocating is collective among them.
class node_space final : public base::memory_space {
 public:
  explicit node_space(communicator node) : node_(std::move(node)) {}
  [[nodiscard]] memory allocate(std::size_t bytes) override;
  [[nodiscard]] bool anybody(bool yes) override;

 private:
  communicator node_;
};

/// The ranks of `on` that share memory with this one. `at_most` > 0 forms groups of at most that many
/// of them, so that one machine can stand for several nodes in tests.
[[nodiscard]] communicator node_of(const communicator& on, int at_most);
/// For each rank of `on` the first rank of its node, on every rank. Collective.
[[nodiscard]] std::vector<long long> first_of_nodes(const communicator& on, const communicator& node);

}  // namespace weft::mpi
