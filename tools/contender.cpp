// SPDX-License-Identifier: BSD-3-Clause
#include "contender.hpp"

#include <chrono>
#include <thread>

#include "weft/error.hpp"

namespace weft::tool {

namespace {

template <class Real>
void fill_typed(Real* values, integer count, std::uint64_t state) {
  for (integer i = 0; i < count; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
    values[i] = static_cast<Real>(static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-63);
  }
}

}  // namespace

memory array_pool::get(memory& from, std::size_t bytes) {
  if (from && from.bytes() >= bytes) return from;
  try {
    // Parts of different plans differ by a few rows; a little more room saves a second array.
    from = host_memory(bytes + bytes / 16 + 64);
  } catch (const buffer_error&) {
    return {};
  }
  return from;
}

void quiet_barrier(const ranks& all) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(all.communicator(), &request);
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
}

void fill_random(precision width, void* data, integer reals, int rank) {
  const auto seed = static_cast<std::uint64_t>(rank) + 1;
  if (width == precision::f32) {
    fill_typed(static_cast<float*>(data), reals, seed);
  } else {
    fill_typed(static_cast<double*>(data), reals, seed);
  }
}

}  // namespace weft::tool
