// SPDX-License-Identifier: BSD-3-Clause
// Memory of arrays: a value whose copies share one block.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace [[gnu::visibility("default")]] weft {

/// A block of memory, given back with the last copy of this value.
class memory {
 public:
  memory() = default;
  /// `peers`: see below; they must live as long as the block.
  memory(std::shared_ptr<std::byte> block, std::size_t bytes, std::span<std::byte* const> peers = {},
         bool on_device = false)
      : block_(std::move(block)), bytes_(bytes), peers_(peers), on_device_(on_device) {}

  /// Null if there is no block.
  [[nodiscard]] std::byte* data() const { return block_.get(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  explicit operator bool() const { return block_ != nullptr; }
  /// Whether only a device can load from it: see copy().
  [[nodiscard]] bool on_device() const { return on_device_; }
  /// Where the ranks of a node share memory: this process's addresses of all their blocks, its own among them, by their
  /// rank on the node. Else none.
  [[nodiscard]] std::span<std::byte* const> peers() const { return peers_; }
  /// For those who want to know whether it is still there.
  [[nodiscard]] std::weak_ptr<std::byte> watched() const { return block_; }

 private:
  std::shared_ptr<std::byte> block_;
  std::size_t bytes_ = 0;
  std::span<std::byte* const> peers_;
  bool on_device_ = false;
};

/// Copies so many bytes from the start of one to the start of the other, wherever they are, and waits until that is
/// done. Throws buffer_error if one of them has fewer.
void copy(const memory& from, const memory& to, std::size_t bytes);

/// Memory of this process, at least at a cache line, its contents arbitrary. Throws buffer_error if there is no room.
[[nodiscard]] memory host_memory(std::size_t bytes);

}  // namespace weft
