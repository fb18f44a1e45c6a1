#include "run/workspace.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace weft::run {

namespace {

/// Where the system grants them on request, memory from this size on is asked to be in pages of that size: an
/// area is walked with large strides, and each page more is an entry more in the tables of the processor.
constexpr std::size_t huge_page = std::size_t{2} << 20;

std::align_val_t alignment_of(std::size_t bytes) { return std::align_val_t{bytes < huge_page ? 64 : huge_page}; }

}  // namespace

void aligned_free::operator()(std::byte* p) const { ::operator delete(p, alignment_of(bytes)); }

void workspace::allocate(block& b, integer bytes) {
  b.memory.reset();
  b.bytes = 0;
  const auto size = static_cast<std::size_t>(bytes);
  b.memory = {static_cast<std::byte*>(::operator new(size, alignment_of(size))), aligned_free{size}};
  b.bytes = bytes;
#ifdef MADV_HUGEPAGE
  // Advice: if it is not taken, the pages are small.
  if (size >= huge_page) (void)madvise(b.memory.get(), size / huge_page * huge_page, MADV_HUGEPAGE);
#endif
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
