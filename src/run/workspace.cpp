#include "run/workspace.hpp"

#include <new>

namespace weft::run {

void workspace::aligned_free::operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{64}); }

void workspace::grow(block& b, integer bytes) {
  if (bytes <= b.bytes) return;
  b.memory.reset();
  b.bytes = 0;
  b.memory.reset(static_cast<std::byte*>(::operator new(static_cast<std::size_t>(bytes), std::align_val_t{64})));
  b.bytes = bytes;
}

integer workspace::bytes() const {
  integer sum = scratch_.bytes;
  for (const auto& b : areas_) sum += b.bytes;
  return sum;
}

}  // namespace weft::run
