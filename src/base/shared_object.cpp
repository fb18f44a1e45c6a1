// SPDX-License-Identifier: BSD-3-Clause
#include "base/shared_object.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/memory.hpp"
#include "weft/error.hpp"

namespace weft::base {

namespace {

constexpr mode_t for_owner = S_IRUSR | S_IWUSR;
// A signal makes the system start a step again, so that timers must not strike in each of them.
constexpr std::size_t step_bytes = std::size_t{1} << 26;

[[noreturn]] void fail(const std::string& what, int status) {
  throw buffer_error(what + " the node's shared memory failed: " + std::strerror(status) +
                     "; enlarge /dev/shm or use another exchange engine");
}

/// The most that could be had now: what is free in /dev/shm, whose limit may be beyond the memory there is.
std::uint64_t most_bytes(int file) {
  const std::uint64_t memory = machine_bytes();
  struct statvfs room {};
  if (fstatvfs(file, &room) != 0 || room.f_blocks == 0) return memory;  // no limit
  return std::min<std::uint64_t>(memory, room.f_bavail * room.f_frsize);
}

std::string fresh_name() {
  std::array<unsigned char, 16> bits{};
  if (getentropy(bits.data(), bits.size()) != 0) fail("naming a block of", errno);
  std::string name = "/weft-";
  for (const unsigned b : bits) {
    name += "0123456789abcdef"[b >> 4U];
    name += "0123456789abcdef"[b & 15U];
  }
  return name;
}

}  // namespace

shared_object shared_object::created() {
  shared_object made;
  made.name_ = fresh_name();
  made.file_ = shm_open(made.name_.c_str(), O_CREAT | O_EXCL | O_RDWR, for_owner);
  if (made.file_ < 0) fail("opening a block of", errno);
  made.named_ = true;
  // Whatever the process's mask says.
  if (fchmod(made.file_, for_owner) != 0) fail("opening a block of", errno);
  return made;
}

shared_object shared_object::opened(const std::string& name) {
  shared_object found;
  found.name_ = name;
  found.file_ = shm_open(name.c_str(), O_RDWR, 0);  // follows no link
  if (found.file_ < 0) fail("opening a peer's block of", errno);
  struct stat facts {};
  if (fstat(found.file_, &facts) != 0) fail("opening a peer's block of", errno);
  if (!S_ISREG(facts.st_mode) || facts.st_uid != geteuid() || (facts.st_mode & 0777U) != for_owner) {
    throw buffer_error("a peer's block of the node's shared memory, '" + name +
                       "', is not one of this user's alone; run all ranks as the same user");
  }
  return found;
}

void shared_object::allocate(std::size_t bytes) const {
  // Asked for first: step by step, the system would hand out all memory, and end processes, before it refuses.
  if (bytes > most_bytes(file_)) fail("allocation of " + std::to_string(bytes) + " bytes of", ENOSPC);
  for (std::size_t have = 0; have < bytes;) {
    const std::size_t step = std::min(step_bytes, bytes - have);
    const int status = posix_fallocate(file_, static_cast<off_t>(have), static_cast<off_t>(step));
    if (status == EINTR) continue;
    if (status != 0) fail("allocation of " + std::to_string(bytes) + " bytes of", status);
    have += step;
  }
}

std::byte* shared_object::mapped(std::size_t bytes) const {
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (at == MAP_FAILED) fail("mapping " + std::to_string(bytes) + " bytes of", errno);
  return static_cast<std::byte*>(at);
}

void shared_object::forget_name() noexcept {
  if (std::exchange(named_, false)) shm_unlink(name_.c_str());
}

void shared_object::swap(shared_object& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(file_, other.file_);
  std::swap(named_, other.named_);
}

shared_object::~shared_object() {
  forget_name();
  if (file_ >= 0) close(file_);
}

}  // namespace weft::base
