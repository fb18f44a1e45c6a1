// SPDX-License-Identifier: BSD-3-Clause
#include "run/workspace.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "weft/error.hpp"

namespace weft::run {

workspace::workspace(std::shared_ptr<base::memory_space> space, const device::device* on)
    : space_(std::move(space)), own_(on != nullptr ? on->space() : base::host()) {}

/// Areas one after the other, each at a cache line. Nobody is at work there, so they may move.
void workspace::divide(std::span<std::byte> given, const memory_needs& needs) {
  constexpr std::uintptr_t line = 64;
  const auto aligned = [](std::uintptr_t address) { return (address + line - 1) / line * line; };
  const auto start = reinterpret_cast<std::uintptr_t>(given.data());
  std::uintptr_t end = start;
  const auto place = [&](memory& area, integer bytes, bool for_real) {
    const std::size_t size = std::max(static_cast<std::size_t>(bytes), area.bytes());
    if (size == 0) return;
    const std::uintptr_t begin = aligned(end);
    end = begin + size;
    if (for_real) area = memory({given.data() + (begin - start), [](std::byte*) {}}, size);
  };
  for (const bool for_real : {false, true}) {
    end = start;
    for (std::size_t a = 0; a < areas_.size(); ++a) place(areas_[a], needs.areas[a], for_real);
    place(scratch_, needs.scratch, for_real);
    if (end - start > given.size()) {
      throw buffer_error("a plan needs " + std::to_string(end - start) +
                         " bytes of workspace, the memory of its arena has " + std::to_string(given.size()) +
                         "; give it more, or use an arena that grows");
    }
  }
}

void workspace::require(const memory_needs& needs) {
  if (given_) return divide(*given_, needs);
  base::memory_space& space = space_ ? *space_ : own_;
  const auto grow = [](memory& area, integer bytes, base::memory_space& from) {
    const std::size_t size = std::max(static_cast<std::size_t>(bytes), area.bytes());
    // Ranks that share it come here for the same areas, if not with the same sizes.
    if (!from.anybody(size > area.bytes())) return;
    area = {};
    area = from.allocate(size);
  };
  for (std::size_t a = 0; a < areas_.size(); ++a) grow(areas_[a], needs.areas[a], space);
  grow(scratch_, needs.scratch, own_);
}

void workspace::begin_run(const device::device& on) {
  if (last_moment_) on.follow_moment(last_moment_);  // also in the same stream, as another may have its address by now
}

/// Who gives no stream waits for the end.
void workspace::end_run(const device::device& on) {
  if (device::stream_scope::current() != nullptr) {
    on.note_moment(last_moment_);
  } else {
    last_moment_.reset();
  }
}

exchange::image workspace::at(area a) const {
  const auto& block = areas_[static_cast<std::size_t>(a)];
  return {block.data(), block.peers()};
}

memory_needs workspace::size() const {
  memory_needs sizes;
  for (std::size_t a = 0; a < areas_.size(); ++a) sizes.areas[a] = static_cast<integer>(areas_[a].bytes());
  sizes.scratch = static_cast<integer>(scratch_.bytes());
  return sizes;
}

}  // namespace weft::run
