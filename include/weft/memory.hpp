// Memory of arrays: a value whose copies share one block.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace weft {

/// A block of memory, given back with the last copy of this value.
class memory {
 public:
  memory() = default;
  memory(std::shared_ptr<std::byte> block, std::size_t bytes) : block_(std::move(block)), bytes_(bytes) {}

  /// Null if there is no block.
  [[nodiscard]] std::byte* data() const { return block_.get(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  explicit operator bool() const { return block_ != nullptr; }

 private:
  std::shared_ptr<std::byte> block_;
  std::size_t bytes_ = 0;
};

/// Memory of this process, at least at a cache line, its contents arbitrary. Throws buffer_error if there is no room.
[[nodiscard]] memory host_memory(std::size_t bytes);

}  // namespace weft
