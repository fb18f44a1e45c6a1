// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "mpi/agreement.hpp"
#include "mpi/call.hpp"
#include "weft/error.hpp"

namespace weft::mpi {

namespace {

/// Closes the file however the scope is left; the mapping outlives it.
struct open_file {
  int number = -1;
  ~open_file() {
    if (number >= 0) close(number);
  }
};

std::string fresh_name() {
  static std::atomic<unsigned> made{0};
  return "/weft-" + std::to_string(getpid()) + "-" + std::to_string(made++);
}

[[noreturn]] void fail(const std::string& what, int status, integer bytes) {
  throw buffer_error(what + " of " + std::to_string(bytes) + " bytes of the node's shared memory failed: " +
                     std::strerror(status) + "; enlarge /dev/shm or use another exchange engine");
}

std::byte* mapped(int file, std::size_t bytes) {
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) fail("mapping", errno, static_cast<integer>(bytes));
  return static_cast<std::byte*>(at);
}

/// A block whose pages exist, so that touching them cannot fail.
std::byte* created(const std::string& name, std::size_t bytes) {
  const open_file file{shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR, S_IRUSR | S_IWUSR)};
  if (file.number < 0) fail("opening", errno, static_cast<integer>(bytes));
  const int status = posix_fallocate(file.number, 0, static_cast<off_t>(bytes));
  if (status != 0) {
    shm_unlink(name.c_str());
    fail("allocation", status, static_cast<integer>(bytes));
  }
  return mapped(file.number, bytes);
}

std::byte* opened(const std::string& name, std::size_t bytes) {
  const open_file file{shm_open(name.c_str(), O_RDWR, 0)};
  if (file.number < 0) fail("opening a peer's block", errno, static_cast<integer>(bytes));
  return mapped(file.number, bytes);
}

constexpr std::size_t name_bytes = 64;

}  // namespace

shared_memory::shared_memory(const communicator& node, integer bytes) {
  std::string name;
  // The name is removed once everybody has mapped the block, or somebody has failed to: nothing stays
  // behind.
  try {
    map_all(node, name, static_cast<std::size_t>(std::max<integer>(1, bytes)));
  } catch (...) {
    if (!name.empty()) shm_unlink(name.c_str());
    unmap();
    throw;
  }
  shm_unlink(name.c_str());
  mine_ = peers_[static_cast<std::size_t>(node.rank())];
}

void shared_memory::map_all(const communicator& node, std::string& name, std::size_t bytes) {
  const auto rank = static_cast<std::size_t>(node.rank()), ranks = static_cast<std::size_t>(node.size());
  std::vector<char> names;
  std::vector<long long> sizes;
  std::string padded;
  agree(node, [&] {
    peers_.assign(ranks, nullptr);
    bytes_.assign(ranks, 0);
    names.assign(ranks * name_bytes, '\0');
    sizes.assign(ranks, 0);
    padded = fresh_name();
    name = padded;
    padded.resize(name_bytes, '\0');
    peers_[rank] = created(name, bytes);
    bytes_[rank] = bytes;
  });
  const auto size = static_cast<long long>(bytes);
  check(MPI_Allgather(padded.data(), name_bytes, MPI_CHAR, names.data(), name_bytes, MPI_CHAR, node.get()),
        "MPI_Allgather");
  check(MPI_Allgather(&size, 1, MPI_LONG_LONG, sizes.data(), 1, MPI_LONG_LONG, node.get()), "MPI_Allgather");
  agree(node, [&] {
    for (std::size_t r = 0; r < peers_.size(); ++r) {
      if (r == rank) continue;
      peers_[r] = opened(&names[r * name_bytes], static_cast<std::size_t>(sizes[r]));
      bytes_[r] = static_cast<std::size_t>(sizes[r]);
    }
  });
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
