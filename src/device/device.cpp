// SPDX-License-Identifier: BSD-3-Clause
#include "device/device.hpp"

#include <charconv>
#include <cstring>

#include "weft/error.hpp"

namespace weft::device {

void*& stream_scope::current() {
  thread_local void* stream = nullptr;
  return stream;
}

choice parse_choice(std::string_view text) {
  const auto colon = text.find(':');
  choice result{std::string(text.substr(0, colon))};
  bool good = result.kind == "cpu" || result.kind == "cuda" || result.kind == "emulated";
  if (good && colon != std::string_view::npos) {
    const auto digits = text.substr(colon + 1);
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), result.number);
    good = result.kind == "cuda" && code == std::errc{} && end == digits.data() + digits.size() && result.number >= 0;
  }
  if (!good) {
    throw name_error("unknown device '" + std::string(text) + "'; known are: cpu, cuda, cuda:NUMBER, emulated");
  }
  return result;
}

namespace {

const device* found(const choice& which, int local_rank, std::string& why_not) {
  if (which.kind == "cpu") throw internal_error("the CPU is no device");
  if (which.kind == "emulated") return &emulated();
  return cuda(which.number, local_rank, why_not);
}

}  // namespace

const device& device_named(std::string_view text, int local_rank) {
  std::string why_not;
  const device* const it = found(parse_choice(text), local_rank, why_not);
  if (it == nullptr) {
    throw device_error("there is no device '" + std::string(text) + "': " + why_not + "; use device = \"cpu\"");
  }
  return *it;
}

std::string why_no_device(std::string_view text, std::string& name) {
  std::string why_not;
  const device* const it = found(parse_choice(text), 0, why_not);
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
  const auto* const by = device::any_used();
  if (by == nullptr) throw device_error("memory of a device that nobody has used");
  by->copy(to.data(), from.data(), bytes);
  by->synchronize();
}

}  // namespace weft
