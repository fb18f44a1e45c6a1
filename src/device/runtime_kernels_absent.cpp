// SPDX-License-Identifier: BSD-3-Clause
#include "device/runtime_kernels.hpp"
#include "weft/error.hpp"

namespace weft::device {

std::string straight_kernel_name(const block_plan& /*by*/, int /*real_bytes*/, const straight_sweeps& /*c*/) {
  return {};
}
std::string fixed_kernel_name(const block_plan& /*by*/, int /*real_bytes*/) { return {}; }

bool has_compiler() { return false; }
std::string compiler_name(std::string& why_not) {
  why_not = why_no_compiler(0);
  return {};
}
std::string why_no_compiler(int /*architecture*/) { return "this build is without NVRTC"; }

compiled_kernel compile_kernel(const std::string& /*name*/, int architecture) {
  throw device_error("no kernels can be compiled: " + why_no_compiler(architecture));
}

}  // namespace weft::device
