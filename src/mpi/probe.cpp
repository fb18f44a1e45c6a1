// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/probe.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "mpi/agreement.hpp"
#include "mpi/call.hpp"

namespace weft::mpi {

namespace {

constexpr int tag = 77;
constexpr int blocks = 5;
// In each block so many repetitions that the clock does not count.
constexpr double small_bytes = 1e6;

/// The least over blocks of the slowest rank's seconds for one of `repetitions`.
template <class Work>
double least_seconds(const communicator& on, int repetitions, const Work& work) {
  using clock = std::chrono::steady_clock;
  long long least = -1;
  for (int b = 0; b < blocks; ++b) {
    (void)largest(on, 0);  // all begin together
    const auto begin = clock::now();
    for (int k = 0; k < repetitions; ++k) work();
    const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - begin).count();
    const long long slowest = largest(on, std::max<long long>(spent, 1));
    least = least < 0 ? slowest : std::min(least, slowest);
  }
  return 1e-9 * static_cast<double>(least) / repetitions;
}

}  // namespace

double seconds_with_partner(const communicator& on, int partner, std::size_t bytes) {
  const bool paired = partner != on.rank();
  if (largest(on, paired) == 0) return 0;
  std::vector<char> mine, theirs;
  agree(on, [&] {
    mine.resize(std::max<std::size_t>(bytes, 1));
    theirs.resize(mine.size());
  });
  const int count = static_cast<int>(bytes);
  const int repetitions = std::clamp(static_cast<int>(small_bytes / static_cast<double>(bytes + 1)), 1, 100);
  return least_seconds(on, repetitions, [&] {
    if (!paired) return;
    check(MPI_Sendrecv(mine.data(), count, MPI_CHAR, partner, tag, theirs.data(), count, MPI_CHAR, partner, tag,
                       on.get(), MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
  });
}

double seconds_of_barrier(const communicator& on, const communicator& of) {
  return least_seconds(on, 50, [&] { check(MPI_Barrier(of.get()), "MPI_Barrier"); });
}

}  // namespace weft::mpi
