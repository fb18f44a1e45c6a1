#include "run/workspace.hpp"

#include <algorithm>
#include <new>

namespace weft::run {

void workspace::aligned_free::operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }

void workspace::allocate(block& b, integer bytes) {
  b.memory.reset();
  b.bytes = 0;
  b.memory.reset(static_cast<std::byte*>(::operator new (static_cast<std::size_t>(bytes), std::align_val_t{64})));
  b.bytes = bytes;
}

void workspace::require(area a, integer bytes) {
  auto& b = areas_[static_cast<std::size_t>(a)];
  if (bytes <= b.bytes) return;
  if (!node_) return allocate(b, bytes);
  b.shared = {};
  b.bytes = 0;
  b.shared = mpi::shared_memory(*node_, bytes);
  b.bytes = bytes;
}

void workspace::require_scratch(integer bytes) {
  if (bytes > scratch_.bytes) allocate(scratch_, bytes);
}

exchange::image workspace::at(area a) const {
  const auto& b = areas_[static_cast<std::size_t>(a)];
  if (!node_) return {b.memory.get(), {}};
  return {b.shared.mine(), b.shared.peers()};
}

integer workspace::area_bytes(const std::array<integer, area_count>& required) const {
  integer sum = 0;
  for (std::size_t a = 0; a < areas_.size(); ++a) sum += std::max(required[a], areas_[a].bytes);
  return sum;
}

}  // namespace weft::run
