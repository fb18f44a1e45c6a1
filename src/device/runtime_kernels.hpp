// SPDX-License-Identifier: BSD-3-Clause
// Kernels that are compiled when a program runs, by NVIDIA's compiler for that (NVRTC), which is loaded if it is there:
// for lengths, and kinds of sweeps, that are too many to compile them all with the library.
#pragma once

#include <string>
#include <vector>

#include "device/block_plan.hpp"

namespace weft::device {

struct straight_sweeps;

/// The name of a kernel as compilers know it: for straight sweeps, or for any that a plan can do.
[[nodiscard]] std::string straight_kernel_name(const block_plan& by, int real_bytes, const straight_sweeps& c);
[[nodiscard]] std::string fixed_kernel_name(const block_plan& by, int real_bytes);

/// Whether the compiler is there, whatever it compiles for.
[[nodiscard]] bool has_compiler();
/// Its name and version; empty, with the reason, if it is not.
[[nodiscard]] std::string compiler_name(std::string& why_not);
/// Why none can be compiled for cards of an architecture (90: compute capability 9.0); empty if they can.
[[nodiscard]] std::string why_no_compiler(int architecture);

struct compiled_kernel {
  std::vector<char> code;
  std::string symbol;  ///< of the kernel in it
};
/// Throws device_error, with what the compiler says.
[[nodiscard]] compiled_kernel compile_kernel(const std::string& name, int architecture);

}  // namespace weft::device
