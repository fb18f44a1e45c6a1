// SPDX-License-Identifier: BSD-3-Clause
// The names that kernels have for what a vendor's compiler provides.
#pragma once

#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#define WEFT_GRID_CONSTANT
#else
/// Of a kernel's arguments: they are read where they are.
#define WEFT_GRID_CONSTANT __grid_constant__
#endif

namespace weft::device::vendor {

#if defined(__HIPCC__)
/// A thread that waits for others lets them work.
__device__ inline void pause() { __builtin_amdgcn_s_sleep(1); }
/// Until 32 neighbouring threads of a block are here.
__device__ inline void warp_barrier() { __syncthreads(); }
/// What all threads have the same, so that the compiler knows it and computes with it once for all.
__device__ inline unsigned same_for_all(unsigned value) { return __builtin_amdgcn_readfirstlane(value); }
#elif defined(__CUDACC__)
__device__ inline void pause() { __nanosleep(20); }
__device__ inline void warp_barrier() { __syncwarp(); }
__device__ inline unsigned same_for_all(unsigned value) { return __shfl_sync(~0U, value, 0); }
#endif

}  // namespace weft::device::vendor
