// SPDX-License-Identifier: BSD-3-Clause
// Workspace that plans share.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace [[gnu::visibility("default")]] weft {

namespace detail {

class arena_rooms;

}  // namespace detail

/// For options::workspace: plans with copies of one arena work in the same memory, so they must not run at the same
/// time. Runs that were started have workspaces of their own besides.
class arena {
 public:
  /// None: each plan has a workspace of its own.
  arena() = default;
  /// Grows to what the largest of its plans needs, and lives as long as one of them or a copy of it.
  [[nodiscard]] static arena growing();
  /// Over memory of this rank, which must outlive the plans. A plan that needs more throws buffer_error with what it
  /// needs. Exchange engines that share memory between ranks cannot use it, nor can plans for devices.
  [[nodiscard]] static arena over(std::span<std::byte> memory);

  explicit operator bool() const { return rooms_ != nullptr; }
  /// Whether it is over memory that was given.
  [[nodiscard]] bool is_given() const;
  /// What it has grown to, or was given.
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] const std::shared_ptr<detail::arena_rooms>& rooms() const { return rooms_; }

 private:
  std::shared_ptr<detail::arena_rooms> rooms_;
};

}  // namespace weft
