// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/shared_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/shared_object.hpp"
#include "mpi/agreement.hpp"
#include "mpi/call.hpp"
#include "weft/error.hpp"

namespace weft::mpi {

namespace {

/// What a rank tells the others of its block.
struct label {
  char name[48] = {};
  long long bytes = 0;
};

}  // namespace

shared_memory::shared_memory(const communicator& node, integer bytes) {
  try {
    map_all(node, static_cast<std::size_t>(std::max<integer>(1, bytes)));
  } catch (...) {
    unmap();
    throw;
  }
  mine_ = peers_[static_cast<std::size_t>(node.rank())];
}

void shared_memory::map_all(const communicator& node, std::size_t bytes) {
  const auto rank = static_cast<std::size_t>(node.rank()), ranks = static_cast<std::size_t>(node.size());
  base::shared_object block;
  std::vector<label> labels;
  agree(node, [&] {
    peers_.assign(ranks, nullptr);
    bytes_.assign(ranks, 0);
    labels.resize(ranks);
    block = base::shared_object::created();
    block.name().copy(labels[rank].name, sizeof(label::name) - 1);
    labels[rank].bytes = static_cast<long long>(bytes);
  });
  check(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, labels.data(), sizeof(label), MPI_BYTE, node.get()),
        "MPI_Allgather");
  agree(node, [&] {
    for (std::size_t r = 0; r < ranks; ++r) {
      const auto size = static_cast<std::size_t>(labels[r].bytes);
      peers_[r] = r == rank ? block.mapped(size) : base::shared_object::opened(labels[r].name).mapped(size);
      bytes_[r] = size;
    }
  });
  // All have it, and only then does it become large: who is killed while the system finds room leaves nothing behind.
  block.forget_name();
  agree(node, [&] { block.allocate(bytes); });
}

void shared_memory::swap(shared_memory& other) noexcept {
  std::swap(mine_, other.mine_);
  std::swap(peers_, other.peers_);
  std::swap(bytes_, other.bytes_);
}

shared_memory::~shared_memory() { unmap(); }

void shared_memory::unmap() noexcept {
  for (std::size_t r = 0; r < peers_.size(); ++r) {
    if (peers_[r] != nullptr) munmap(peers_[r], bytes_[r]);
  }
}

memory node_space::allocate(std::size_t bytes) {
  std::shared_ptr<shared_memory> block;
  agree(node_, [&] { block = std::make_shared<shared_memory>(); });
  *block = shared_memory(node_, static_cast<integer>(bytes));
  const auto peers = block->peers();
  auto* const mine = block->mine();
  return {std::shared_ptr<std::byte>(std::move(block), mine), bytes, peers};
}

bool node_space::anybody(bool yes) { return largest(node_, yes) != 0; }

communicator node_of(const communicator& on, int at_most) {
  communicator node = on.split_by_memory();
  if (at_most <= 0 || at_most >= node.size()) return node;
  return node.split("groups of " + std::to_string(at_most), node.rank() / at_most);
}

std::vector<long long> first_of_nodes(const communicator& on, const communicator& node) {
  std::vector<long long> first;
  agree(on, [&] { first.assign(static_cast<std::size_t>(on.size()), 0); });
  int lowest = on.rank();
  check(MPI_Bcast(&lowest, 1, MPI_INT, 0, node.get()), "MPI_Bcast");
  first[static_cast<std::size_t>(on.rank())] = lowest;
  largest(on, first);
  return first;
}

}  // namespace weft::mpi
