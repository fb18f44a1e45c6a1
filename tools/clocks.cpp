// SPDX-License-Identifier: BSD-3-Clause
#include "clocks.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>

namespace weft::tool {

namespace {

constexpr int round_trips = 20;

std::int64_t nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The clock of `peer`, as the root sees it.
clock_reading ask(int peer, MPI_Comm on) {
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  clock_reading best;
  for (int k = 0; k < round_trips; ++k) {
    std::int64_t theirs = 0;
    const std::int64_t before = nanoseconds();
    MPI_Send(nullptr, 0, MPI_INT64_T, peer, 0, on);
    MPI_Recv(&theirs, 1, MPI_INT64_T, peer, 0, on, MPI_STATUS_IGNORE);
    const std::int64_t trip = nanoseconds() - before;
    if (trip >= shortest) continue;
    shortest = trip;
    const double half = 0.5e-9 * static_cast<double>(trip);
    best = {1e-9 * static_cast<double>(theirs - before) - half, half};
  }
  return best;
}

void answer(MPI_Comm on) {
  for (int k = 0; k < round_trips; ++k) {
    MPI_Recv(nullptr, 0, MPI_INT64_T, 0, 0, on, MPI_STATUS_IGNORE);
    const std::int64_t mine = nanoseconds();
    MPI_Send(&mine, 1, MPI_INT64_T, 0, 0, on);
  }
}

}  // namespace

clock_reading compare_clocks(const ranks& all) {
  const node_ranks node(all);
  const auto heads = all.gather_to_root(node.is_root() ? "head" : "");
  std::array<double, 2> reading{};
  for (int peer = 1; peer < static_cast<int>(heads.size()); ++peer) {
    if (heads[static_cast<std::size_t>(peer)].empty()) continue;
    const clock_reading theirs = ask(peer, all.communicator());
    const std::array<double, 2> sent{theirs.ahead, theirs.error};
    MPI_Send(sent.data(), 2, MPI_DOUBLE, peer, 0, all.communicator());
  }
  if (!all.is_root() && node.is_root()) {
    answer(all.communicator());
    MPI_Recv(reading.data(), 2, MPI_DOUBLE, 0, 0, all.communicator(), MPI_STATUS_IGNORE);
  }
  MPI_Bcast(reading.data(), 2, MPI_DOUBLE, 0, node.communicator());
  return {reading[0], reading[1]};
}

}  // namespace weft::tool
