// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA's library of messages between cards. It is looked for when it is first asked for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace weft::device {

class device;

/// Its name and version, or empty with the reason why there is none.
[[nodiscard]] std::string nccl_name(std::string& why_not);

/// Some ranks that send each other messages from their cards' memory, each rank with a card of its own.
class nccl_ranks {
 public:
  /// What one of them makes and all must have.
  using name = std::array<char, 128>;
  [[nodiscard]] static name new_name();

  /// All of them at once. Throws device_error.
  nccl_ranks(const device& on, const name& known_as, int rank, int ranks);
  nccl_ranks(const nccl_ranks&) = delete;
  nccl_ranks& operator=(const nccl_ranks&) = delete;
  ~nccl_ranks();

  struct message {
    int peer = 0;
    std::byte* address = nullptr;
    std::size_t bytes = 0;
  };
  /// In the order of the device's stream: all of them at once, none waits for another.
  void exchange(std::span<const message> sends, std::span<const message> receives) const;

 private:
  const device& on_;
  void* with_ = nullptr;
};

}  // namespace weft::device
