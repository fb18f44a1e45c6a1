// SPDX-License-Identifier: BSD-3-Clause
// The local engines for arrays in a device's memory.
#pragma once

#include <span>
#include <string_view>

#include "local/engine.hpp"

namespace weft::device {
class device;
}

namespace weft::local {

/// Some lines of a transform.
struct line_sort {
  line_kind kind = line_kind::none;
  integer length = 0;
};

/// By their names, best first.
[[nodiscard]] std::span<const std::string_view> device_engine_names();
/// The one to take for such lines where nothing is measured, if all that is named may be used.
[[nodiscard]] std::string_view usual_device_engine(std::span<const line_sort> lines, precision element);
/// Why the named one cannot be used on cards here; empty if it can.
[[nodiscard]] std::string why_no_device_engine(std::string_view name);
/// The one of that name for a device, which must live as long as the process.
[[nodiscard]] const engine& engine_on(std::string_view name, const device::device& where);

}  // namespace weft::local
