// SPDX-License-Identifier: BSD-3-Clause
// The workspaces of an arena.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "planner/crew.hpp"
#include "run/workspace.hpp"
#include "weft/arena.hpp"

namespace weft::detail {

class arena_rooms {
 public:
  arena_rooms() = default;
  explicit arena_rooms(std::span<std::byte> given) : given_(given) {}

  /// Whether it is memory of the user's, which ranks do not share.
  [[nodiscard]] bool is_given() const { return given_.has_value(); }
  /// For a plan of these ranks, with work areas that those of a node share or not.
  [[nodiscard]] std::shared_ptr<run::workspace> room_for(const planner::crew& on, bool shared);
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct room {
    MPI_Comm node;  // null: memory of this rank
    const device::device* on;
    std::shared_ptr<run::workspace> memory;
  };
  std::optional<std::span<std::byte>> given_;
  std::vector<room> rooms_;
};

}  // namespace weft::detail
