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
// After so much time a few will do.
constexpr int few = 2;
constexpr long long enough_nanoseconds = 30'000'000;
// In each block so many repetitions that the clock does not count.
constexpr double small_bytes = 1e6;

/// The least of `times` of the slowest rank's seconds for one of `repetitions`; fewer times if they take long.
template <class Work>
double least_seconds(const communicator& on, int times, int repetitions, const Work& work) {
  using clock = std::chrono::steady_clock;
  long long least = -1, all = 0;
  for (int b = 0; b < times && (b < few || all < enough_nanoseconds); ++b) {
    (void)largest(on, 0);  // all begin together
    const auto begin = clock::now();
    for (int k = 0; k < repetitions; ++k) work();
    const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - begin).count();
    const long long slowest = largest(on, std::max<long long>(spent, 1));
    least = least < 0 ? slowest : std::min(least, slowest);
    all += slowest;
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
  return least_seconds(on, blocks, repetitions, [&] {
    if (!paired) return;
    check(MPI_Sendrecv(mine.data(), count, MPI_CHAR, partner, tag, theirs.data(), count, MPI_CHAR, partner, tag,
                       on.get(), MPI_STATUS_IGNORE),
          "MPI_Sendrecv");
  });
}

double seconds_of_messages(const communicator& on, correspondents with, int messages, std::size_t bytes, int times) {
  std::vector<char> mine, theirs;
  std::vector<MPI_Request> requests;
  agree(on, [&] {
    mine.resize(std::max<std::size_t>(bytes, 1));
    theirs.resize(mine.size() * static_cast<std::size_t>(messages));
    requests.reserve(2 * static_cast<std::size_t>(messages));
  });
  const int count = static_cast<int>(bytes);
  return least_seconds(on, times, 1, [&] {
    requests.clear();
    for (int k = 0; k < messages && with.from >= 0; ++k) {
      requests.push_back(MPI_REQUEST_NULL);
      check(MPI_Irecv(theirs.data() + static_cast<std::size_t>(k) * bytes, count, MPI_CHAR, with.from, tag, on.get(),
                      &requests.back()),
            "MPI_Irecv");
    }
    for (int k = 0; k < messages && with.to >= 0; ++k) {
      requests.push_back(MPI_REQUEST_NULL);
      check(MPI_Isend(mine.data(), count, MPI_CHAR, with.to, tag, on.get(), &requests.back()), "MPI_Isend");
    }
    check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  });
}

double seconds_of_barrier(const communicator& on, const communicator& of) {
  return least_seconds(on, blocks, 50, [&] { check(MPI_Barrier(of.get()), "MPI_Barrier"); });
}

}  // namespace weft::mpi
