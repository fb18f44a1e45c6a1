// SPDX-License-Identifier: BSD-3-Clause
#include "base/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <string>

#include "weft/error.hpp"

namespace weft::base {

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;
/// Where the system grants them on request, memory from this size on is asked to be in huge pages: arrays are walked
/// with large strides, and each page more is an entry more in the tables of the processor. Those have room for the
/// small pages of less memory, which lie all over the sets of a cache where strides in a huge page meet in few: 64^3 by
/// 8 threads takes 0.7 to 0.8 of the time.
constexpr std::size_t large = std::size_t{8} << 20;

class host_space final : public memory_space {
 public:
  [[nodiscard]] memory allocate(std::size_t bytes) override {
    const std::align_val_t alignment{bytes < large ? cache_line : huge_page};
    auto* const block = static_cast<std::byte*>(::operator new(std::max(bytes, cache_line), alignment, std::nothrow));
    if (block == nullptr) {
      throw buffer_error("no room for " + std::to_string(bytes) +
                         " bytes of memory; use more ranks or a smaller problem");
    }
#ifdef MADV_HUGEPAGE
    // Advice: if it is not taken, the pages are small.
    if (bytes >= large) (void)madvise(block, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
    return {{block, [alignment](std::byte* p) { ::operator delete(p, alignment); }}, bytes};
  }
};

}  // namespace

std::uint64_t machine_bytes() {
  const auto pages = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

memory_space& host() {
  static host_space space;
  return space;
}

}  // namespace weft::base

namespace weft {

memory host_memory(std::size_t bytes) { return base::host().allocate(bytes); }

}  // namespace weft
