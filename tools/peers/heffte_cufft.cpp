// SPDX-License-Identifier: BSD-3-Clause
// heFFTe with its cuFFT backend, arrays in the device's memory. Whether it may pass them to MPI, it must be told.
#include <cuda_runtime.h>

#include "mpi/cuda_aware.hpp"
#include "peers/heffte_with.hpp"

namespace weft::tool::peers {

peer heffte_cufft();

namespace {

struct with_cufft {
  using backend = ::heffte::backend::cufft;
  static constexpr const char* name = "heffte_cufft";
  static void finish() { (void)cudaDeviceSynchronize(); }
  static void adapt(plan_options& of) { of.use_gpu_aware = mpi::takes_device_pointers(); }
};

contenders make(const problem& what, const bench_setup& on) {
  if (on.device->has_handles()) return heffte_contenders<with_cufft>(what, on);
  contenders none;
  none.notes.emplace_back("heffte_cufft: left out: it needs a GPU, and device is " + on.device_name);
  return none;
}

void start() {}

}  // namespace

peer heffte_cufft() {
  return {"heffte_cufft", "heFFTe with cuFFT, the fastest of its plan options", start, make, false, true};
}

}  // namespace weft::tool::peers
