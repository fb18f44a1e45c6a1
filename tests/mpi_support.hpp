// SPDX-License-Identifier: BSD-3-Clause
// What tests under MPI share: decisions that all ranks take together, so that one failure never
// leaves the others waiting.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <vector>

namespace weft::testing {

/// The ranks that the tests run on now: the first so many of those started. mpi_main.cpp changes it.
inline MPI_Comm& world() {
  static MPI_Comm now = MPI_COMM_NULL;
  return now;
}

inline int world_rank() {
  int rank = 0;
  MPI_Comm_rank(world(), &rank);
  return rank;
}

inline int world_size() {
  int size = 0;
  MPI_Comm_size(world(), &size);
  return size;
}

/// Whether all ranks share memory. Collective.
inline bool on_one_node() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(world(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int size = 0;
  MPI_Comm_size(node, &size);
  MPI_Comm_free(&node);
  return size == world_size();
}

inline double sum_of(double mine, MPI_Comm on = world()) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, on);
  return mine;
}

/// Whether any rank has seen a failure in this test. Collective.
inline bool failed_anywhere() {
  int failed = ::testing::Test::HasFailure() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, world());
  return failed != 0;
}

/// The texts of all ranks, by rank, on every rank. Collective.
inline std::vector<std::string> texts_of_all(const std::string& mine, MPI_Comm on = world()) {
  int ranks = 0;
  MPI_Comm_size(on, &ranks);
  const auto length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks)), offsets(static_cast<std::size_t>(ranks), 0);
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, on);
  for (std::size_t r = 1; r < offsets.size(); ++r) offsets[r] = offsets[r - 1] + lengths[r - 1];
  std::string all(static_cast<std::size_t>(offsets.back() + lengths.back()), ' ');
  MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR, on);
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < offsets.size(); ++r) {
    texts.push_back(all.substr(static_cast<std::size_t>(offsets[r]), static_cast<std::size_t>(lengths[r])));
  }
  return texts;
}

}  // namespace weft::testing
