#include "run/workspace.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "mpi/agreement.hpp"

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

void workspace::require(const memory_needs& needs) {
  for (std::size_t a = 0; a < areas_.size(); ++a) {
    auto& b = areas_[a];
    if (!node_) {
      if (needs.areas[a] > b.bytes) allocate(b, needs.areas[a]);
      continue;
    }
    // All ranks of the node come here for the same areas, if not with the same sizes.
    if (mpi::largest(*node_, needs.areas[a] > b.bytes) == 0) continue;
    const integer bytes = std::max(needs.areas[a], b.bytes);
    b.shared = {};
    b.bytes = 0;
    b.shared = mpi::shared_memory(*node_, bytes);
    b.bytes = bytes;
  }
  if (needs.scratch > scratch_.bytes) allocate(scratch_, needs.scratch);
}

exchange::image workspace::at(area a) const {
  const auto& b = areas_[static_cast<std::size_t>(a)];
  if (!node_) return {b.memory.get(), {}};
  return {b.shared.mine(), b.shared.peers()};
}

memory_needs workspace::size() const {
  memory_needs sizes;
  for (std::size_t a = 0; a < areas_.size(); ++a) sizes.areas[a] = areas_[a].bytes;
  sizes.scratch = scratch_.bytes;
  return sizes;
}

}  // namespace weft::run
