// SPDX-License-Identifier: BSD-3-Clause
// The few collective operations the program needs of its own, besides the transforms.
#pragma once

#include <mpi.h>

#include <chrono>
#include <complex>
#include <span>
#include <string>
#include <vector>

#include "weft/index.hpp"

namespace weft::tool {

class ranks {
 public:
  /// Does not own `on`.
  explicit ranks(MPI_Comm on);

  [[nodiscard]] MPI_Comm communicator() const { return on_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool is_root() const { return rank_ == 0; }

  void barrier() const;
  [[nodiscard]] double max(double mine) const;
  [[nodiscard]] integer max(integer mine) const;
  [[nodiscard]] double sum(double mine) const;
  [[nodiscard]] bool all(bool mine) const;
  /// Whether every rank has the same words (up to a collision of 64-bit hashes).
  [[nodiscard]] bool same(const std::vector<std::string>& mine) const;
  /// The root's answer, on every rank.
  [[nodiscard]] bool from_root(bool roots) const;
  [[nodiscard]] std::string from_root(std::string roots) const;
  void broadcast_from_root(std::span<std::complex<double>> values) const;
  /// Every rank's text in rank order, on the root; empty elsewhere.
  [[nodiscard]] std::vector<std::string> gather_to_root(const std::string& mine) const;

 private:
  MPI_Comm on_;
  int rank_ = 0;
  int size_ = 1;
};

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Collective: barrier, seconds that work() takes, maximum over ranks.
template <class Work>
double time_of(const ranks& all, const Work& work) {
  all.barrier();
  return all.max(seconds_of(work));
}

/// Of the node this rank runs on.
[[nodiscard]] std::string host_name();

/// The ranks that share this one's memory.
class node_ranks : public ranks {
 public:
  explicit node_ranks(const ranks& all);
  ~node_ranks();
  node_ranks(const node_ranks&) = delete;
  node_ranks& operator=(const node_ranks&) = delete;
};

}  // namespace weft::tool
