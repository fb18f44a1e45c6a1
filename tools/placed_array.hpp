// SPDX-License-Identifier: BSD-3-Clause
// An array where a plan wants it, which may be a device's memory, and what the host sees of it.
#pragma once

#include "device/device.hpp"
#include "ranks.hpp"
#include "weft/memory.hpp"

namespace weft::tool {

class placed_array {
 public:
  placed_array() = default;
  /// Throws buffer_error where the host has no room for a copy.
  explicit placed_array(memory there)
      : there_(std::move(there)), here_(there_.on_device() ? host_memory(there_.bytes()) : there_) {}

  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(there_); }
  /// For plans.
  [[nodiscard]] void* there() const { return there_.data(); }
  /// For the host, which sees what pull() brought and brings what it wrote with push().
  [[nodiscard]] std::byte* here() const { return here_.data(); }
  [[nodiscard]] bool is_apart() const { return there_.on_device(); }
  void push() const {
    if (is_apart()) copy(here_, there_, there_.bytes());
  }
  void pull() const {
    if (is_apart()) copy(there_, here_, there_.bytes());
  }

 private:
  memory there_, here_;
};

/// The device that a plan of these ranks uses on this one; null for the CPU. Throws device_error.
[[nodiscard]] inline const device::device* device_of(const std::string& name, const ranks& all) {
  return name == "cpu" ? nullptr : &device::device_named(name, node_ranks(all).rank());
}

/// Memory of this rank alone, in that device's memory or the host's.
[[nodiscard]] inline memory private_memory(const device::device* on, std::size_t bytes) {
  return on != nullptr ? on->space().allocate(bytes) : host_memory(bytes);
}

}  // namespace weft::tool
