// SPDX-License-Identifier: BSD-3-Clause
// Weft's own duplicate of a user's communicator, and the sub-communicators made from it.
//
// Both are cached on the user's communicator as an attribute, so that planning thousands of times
// uses one duplicate. Collective calls of plans made from one communicator therefore share it: such
// plans may not run at the same time in different threads (MPI's own rule for collective calls).
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

namespace weft::mpi {

class board;

class communicator {
 public:
  /// Collective the first time it is called for `user`.
  explicit communicator(MPI_Comm user);

  [[nodiscard]] MPI_Comm get() const;
  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;

  /// Makes room for what split() with this key keeps, which then fails on no rank alone. Not collective.
  void prepare_split(const std::string& key) const;
  /// The ranks with equal `color`, in rank order. Collective the first time for each `key`, which
  /// must name the way of splitting and be the same on every rank.
  [[nodiscard]] communicator split(const std::string& key, int color) const;
  /// The ranks that share memory with this one. Collective the first time.
  [[nodiscard]] communicator split_by_memory() const;
  /// The same with a board, if there is memory for one, on all ranks alike; all of them must share memory. `names` as
  /// the board has them. Collective the first time.
  [[nodiscard]] communicator with_board(std::vector<int> names = {}) const;
  /// The same, and which ranks share memory with this one, perhaps with a board of theirs. Not collective.
  [[nodiscard]] communicator with_near(communicator near) const;
  /// Null without one.
  [[nodiscard]] const std::shared_ptr<mpi::board>& board() const { return board_; }
  /// All, where nobody said who is nearby.
  [[nodiscard]] const communicator& near() const { return near_ ? *near_ : *this; }
  /// A tag that messages of nobody else have for a long time. All ranks must ask for as many.
  [[nodiscard]] int fresh_tag() const;
  /// Numbers of those who make collective calls at the same time as others, and need communicators of their own: the
  /// first, from `from` on, that nobody on this rank holds; and its holder, who gives it back with the last copy.
  [[nodiscard]] int free_lane(int from) const;
  [[nodiscard]] std::shared_ptr<const int> hold_lane(int number) const;
  /// The ranks, in this communicator, of the members of `part`, which was split from it.
  [[nodiscard]] std::vector<int> members_of(const communicator& part) const;

 private:
  struct context;
  explicit communicator(std::shared_ptr<context> shared) : shared_(std::move(shared)) {}
  std::shared_ptr<context> shared_;
  std::shared_ptr<mpi::board> board_;
  std::shared_ptr<const communicator> near_;
};

}  // namespace weft::mpi
