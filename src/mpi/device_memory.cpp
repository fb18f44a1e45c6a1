// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/device_memory.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "mpi/agreement.hpp"
#include "mpi/call.hpp"
#include "mpi/shared_memory.hpp"
#include "weft/error.hpp"

namespace weft::mpi {

namespace {

/// Small blocks share a page of the device with others; one that is opened has its pages to itself.
constexpr std::size_t least_bytes = std::size_t{1} << 20;

/// In memory that the node shares: how many ranks still have this rank's block open.
using open_count = std::atomic<int>;

/// Blocks whose owners are done with them, but not their peers: freeing such a block is undefined.
struct waiting_block {
  memory block;
  shared_memory counts;
};

std::mutex& waiting_lock() {
  static std::mutex lock;
  return lock;
}

/// Never destroyed: the device's library is gone before.
std::vector<waiting_block>& waiting() {
  static auto* const all = new std::vector<waiting_block>;  // NOLINT(cppcoreguidelines-owning-memory)
  return *all;
}

open_count& count_at(std::byte* place) { return *reinterpret_cast<open_count*>(place); }

void free_what_nobody_has_open() {
  const std::lock_guard guard(waiting_lock());
  std::erase_if(waiting(), [](waiting_block& w) { return count_at(w.counts.mine()).load() == 0; });
}

class shared_block {
 public:
  explicit shared_block(const device::device& on) : on_(on) {}
  shared_block(const shared_block&) = delete;
  shared_block& operator=(const shared_block&) = delete;
  ~shared_block() {
    for (std::size_t r = 0; r < peers_.size(); ++r) {
      if (peers_[r] == nullptr || peers_[r] == own_.data()) continue;
      on_.close(peers_[r]);
      if (counted_) count_at(counts_.peers()[r]).fetch_sub(1);
    }
    if (!counted_) return;
    {
      const std::lock_guard guard(waiting_lock());
      waiting().push_back({std::move(own_), std::move(counts_)});
    }
    free_what_nobody_has_open();
  }

  /// Collective.
  void make(const communicator& node, std::size_t bytes) {
    const auto rank = static_cast<std::size_t>(node.rank()), ranks = static_cast<std::size_t>(node.size());
    std::vector<device::memory_handle> handles;
    device::memory_handle mine;
    agree(node, [&] {
      free_what_nobody_has_open();
      peers_.assign(ranks, nullptr);
      handles.resize(ranks);
      own_ = on_.space().allocate(std::max(bytes, least_bytes));
      peers_[rank] = own_.data();
      if (ranks > 1) mine = on_.handle_of(own_.data());
    });
    if (ranks == 1) return;
    counts_ = shared_memory(node, sizeof(open_count));
    count_at(counts_.mine()).store(static_cast<int>(ranks) - 1);
    constexpr int size = sizeof(device::memory_handle);
    check(MPI_Allgather(&mine, size, MPI_BYTE, handles.data(), size, MPI_BYTE, node.get()), "MPI_Allgather");
    agree(node, [&] {
      try {
        for (std::size_t r = 0; r < ranks; ++r) {
          if (r != rank) peers_[r] = on_.opened(handles[r]);
        }
      } catch (const device_error& e) {
        throw buffer_error(std::string("ranks cannot open each other's memory on their devices: ") + e.what());
      }
    });
    counted_ = true;
  }

  [[nodiscard]] std::byte* mine() const { return own_.data(); }
  [[nodiscard]] std::span<std::byte* const> peers() const { return peers_; }

 private:
  const device::device& on_;
  memory own_;
  std::vector<std::byte*> peers_;
  shared_memory counts_;
  bool counted_ = false;
};

}  // namespace

memory device_node_space::allocate(std::size_t bytes) {
  std::shared_ptr<shared_block> block;
  agree(node_, [&] { block = std::make_shared<shared_block>(on_); });
  block->make(node_, bytes);
  auto* const mine = block->mine();
  const auto peers = block->peers();
  return {std::shared_ptr<std::byte>(std::move(block), mine), bytes, peers, true};
}

bool device_node_space::anybody(bool yes) { return largest(node_, yes) != 0; }

}  // namespace weft::mpi
