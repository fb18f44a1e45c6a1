// SPDX-License-Identifier: BSD-3-Clause
#include "device/kernels/gpu_kernels.hpp"

namespace weft::device {

kernel_table kernels_f64() { return kernels<double>(); }

}  // namespace weft::device
