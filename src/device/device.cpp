// SPDX-License-Identifier: BSD-3-Clause
#include "device/device.hpp"

#include <cstring>

#include "weft/error.hpp"

namespace weft::device {

void*& stream_scope::current() {
  thread_local void* stream = nullptr;
  return stream;
}

namespace {

const device* found(std::string_view kind, int local_rank, std::string& why_not) {
  if (kind == "emulated") return &emulated();
  if (kind == "cuda") return cuda(local_rank, why_not);
  throw name_error("unknown device '" + std::string(kind) + "'; known are: cpu, cuda, emulated");
}

}  // namespace

const device& device_named(std::string_view kind, int local_rank) {
  std::string why_not;
  const device* const it = found(kind, local_rank, why_not);
  if (it == nullptr) {
    throw device_error("there is no device '" + std::string(kind) + "': " + why_not + "; use device = \"cpu\"");
  }
  return *it;
}

std::string why_no_device(std::string_view kind, std::string& name) {
  std::string why_not;
  const device* const it = found(kind, 0, why_not);
  if (it != nullptr) name = it->name();
  return why_not;
}

}  // namespace weft::device

namespace weft {

void copy(const memory& from, const memory& to, std::size_t bytes) {
  if (from.bytes() < bytes || to.bytes() < bytes) {
    throw buffer_error("a copy of " + std::to_string(bytes) + " bytes from " + std::to_string(from.bytes()) + " to " +
                       std::to_string(to.bytes()));
  }
  if (bytes == 0) return;
  if (!from.on_device() && !to.on_device()) {
    std::memmove(to.data(), from.data(), bytes);
    return;
  }
  // Any of them knows the addresses of all.
  const auto& by = device::device_named("cuda", 0);
  by.copy(to.data(), from.data(), bytes);
  by.synchronize();
}

}  // namespace weft
