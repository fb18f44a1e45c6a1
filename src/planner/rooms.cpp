// SPDX-License-Identifier: BSD-3-Clause
#include "planner/rooms.hpp"

#include <algorithm>

namespace weft {

namespace detail {

std::shared_ptr<run::workspace> arena_rooms::room_for(const planner::crew& on, bool shared) {
  // Plans divide given memory, each as it likes.
  if (given_) return std::make_shared<run::workspace>(*given_);
  // A workspace keeps its node's communicator.
  const MPI_Comm node = shared ? on.node.get() : MPI_COMM_NULL;
  const auto found = std::ranges::find_if(rooms_, [&](const room& r) { return r.node == node && r.on == on.on; });
  if (found != rooms_.end()) return found->memory;
  rooms_.push_back({node, on.on, std::make_shared<run::workspace>(shared ? on.shared : nullptr, on.on)});
  return rooms_.back().memory;
}

std::size_t arena_rooms::bytes() const {
  if (given_) return given_->size();
  integer sum = 0;
  for (const auto& r : rooms_) sum += r.memory->size().total();
  return static_cast<std::size_t>(sum);
}

}  // namespace detail

arena arena::growing() {
  arena result;
  result.rooms_ = std::make_shared<detail::arena_rooms>();
  return result;
}

arena arena::over(std::span<std::byte> memory) {
  arena result;
  result.rooms_ = std::make_shared<detail::arena_rooms>(memory);
  return result;
}

bool arena::is_given() const { return rooms_ && rooms_->is_given(); }
std::size_t arena::bytes() const { return rooms_ ? rooms_->bytes() : 0; }

}  // namespace weft
