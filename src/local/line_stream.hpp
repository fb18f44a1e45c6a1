// SPDX-License-Identifier: BSD-3-Clause
// Stores past the caches.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::local {

/// Writes memory in whole cache lines past the caches, whatever the alignment. What follows on where the
/// last write ended is joined to it; only the ends of such a sequence, parts of cache lines, are stored
/// through the caches. Like all streamed stores these are weakly ordered: fence before telling anyone.
class line_stream {
 public:
  void write(const std::byte* from, std::byte* to, std::size_t bytes);
  /// Nothing is left to be written after this.
  void flush();

 private:
  static constexpr std::size_t line = 64;
  [[nodiscard]] std::size_t place() const { return reinterpret_cast<std::uintptr_t>(at_) % line; }
  void put(const std::byte* from, std::size_t bytes);

  alignas(line) std::byte partial_[line] = {};  // of the cache line at at_, from begin_ up to there
  std::byte* at_ = nullptr;                     // where the next byte goes
  std::size_t begin_ = 0;
};

}  // namespace weft::local
