// SPDX-License-Identifier: BSD-3-Clause
#include "run/workspace.hpp"

#include <algorithm>
#include <utility>

#include "device/device.hpp"

namespace weft::run {

workspace::workspace(std::shared_ptr<base::memory_space> space, const device::device* on)
    : space_(std::move(space)), own_(on != nullptr ? on->space() : base::host()) {}

void workspace::require(const memory_needs& needs) {
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
