// SPDX-License-Identifier: BSD-3-Clause
#include "contender.hpp"

#include <chrono>
#include <cstring>
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

void fill_block(precision width, void* data, integer reals, int rank) {
  const auto seed = static_cast<std::uint64_t>(rank) + 1;
  if (width == precision::f32) {
    fill_typed(static_cast<float*>(data), reals, seed);
  } else {
    fill_typed(static_cast<double*>(data), reals, seed);
  }
}

/// Memory of the host for what goes to devices and what comes from there.
struct host_copies {
  memory random, seen;
  precision width = precision::f64;
  integer reals = 0;  // of `random`, which are the first of as many as one likes
};

host_copies& copies() {
  static host_copies all;
  return all;
}

}  // namespace

memory array_pool::get(memory& from, std::size_t bytes) const {
  if (from && from.bytes() >= bytes) return from;
  try {
    // Parts of different plans differ by a few rows; a little more room saves a second array.
    from = private_memory(on_, bytes + bytes / 16 + 64);
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

void fill_random(precision width, const memory& to, integer reals, int rank) {
  if (!to.on_device()) return fill_block(width, to.data(), reals, rank);
  auto& c = copies();
  const auto bytes = static_cast<std::size_t>(reals) * real_bytes(width);
  if (c.width != width || c.reals < reals) {
    if (!c.random || c.random.bytes() < bytes) c.random = host_memory(bytes);
    fill_block(width, c.random.data(), reals, rank);
    c.width = width;
    c.reals = reals;
  }
  copy(c.random, to, bytes);
}

void clear(const memory& what, std::size_t bytes) {
  if (!what.on_device() && bytes > 0) std::memset(what.data(), 0, bytes);
}

const void* seen_by_host(const memory& array, std::size_t bytes) {
  if (!array.on_device()) return array.data();
  auto& seen = copies().seen;
  if (!seen || seen.bytes() < bytes) seen = host_memory(bytes);
  copy(array, seen, bytes);
  return seen.data();
}

}  // namespace weft::tool
