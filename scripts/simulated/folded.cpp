// SPDX-License-Identifier: BSD-3-Clause
// Arrays of thousands of ranks in one process: where $SIMULATED_FOLD names a file, large blocks of a rank are mappings
// of it, one after the other, and those of all ranks begin at its beginning. So ranks overwrite each other's arrays:
// messages have their sizes, and what is transformed is nonsense. Blocks of one rank are apart, because passes keep
// addresses in some. Linked into the program, these definitions go before the library's.
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <new>

namespace {

constexpr std::size_t least_folded = std::size_t{64} << 10, page = 4096;

const char* common_file() {
  static const char* const name = std::getenv("SIMULATED_FOLD");
  return name;
}

std::map<void*, std::size_t>& lengths() {
  static std::map<void*, std::size_t> all;
  return all;
}

int this_rank() {
  int initialized = 0, rank = 0;
  MPI_Initialized(&initialized);
  if (initialized != 0) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void* folded(std::size_t bytes, std::size_t alignment) {
  const std::size_t length = (bytes + page - 1) / page * page, room = length + alignment;  // the boundary is one of pages
  void* const space = mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<char*>(space);
  const std::size_t before = (alignment - reinterpret_cast<std::uintptr_t>(begin) % alignment) % alignment;
  char* const block = begin + before;
  if (before > 0) munmap(begin, before);
  munmap(block + length, room - before - length);
  static std::map<int, off_t> ends;
  off_t& end = ends[this_rank()];
  const int file = open(common_file(), O_RDWR);
  const void* const mapped = mmap(block, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, end);
  if (file >= 0) close(file);
  if (mapped == MAP_FAILED) return nullptr;
  end += static_cast<off_t>(length);
  lengths()[block] = length;
  return block;
}

void* aligned(std::size_t bytes, std::align_val_t alignment) {
  const auto boundary = static_cast<std::size_t>(alignment);
  if (common_file() != nullptr && bytes >= least_folded) return folded(bytes, boundary < page ? page : boundary);
  return std::aligned_alloc(boundary, (bytes + boundary - 1) / boundary * boundary);
}

void release(void* block) {
  const auto found = lengths().find(block);
  if (found == lengths().end()) return std::free(block);
  munmap(block, found->second);
  lengths().erase(found);
}

}  // namespace

void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t& /*tag*/) noexcept {
  return aligned(bytes, alignment);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  void* const block = aligned(bytes, alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void operator delete(void* block, std::align_val_t /*alignment*/) noexcept { release(block); }
void operator delete(void* block, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept { release(block); }
