// SPDX-License-Identifier: BSD-3-Clause
// What ranks tell each other without waiting: small messages queue behind large ones, so whoever would wait for them
// while others' messages are under way would wait for those.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <exception>

#include "mpi/communicator.hpp"

namespace weft::mpi {

class statement {
 public:
  using bits = std::array<std::uint64_t, 2>;

  /// Collective; ranks make their statements in the same order. Allocates nothing. What all ranks say is known at once
  /// if they have a board, or if there is one rank. `with_tag`: of messages between ranks, which come in the same order
  /// for all statements that have it.
  statement(const communicator& on, int with_tag, const bits& mine, const std::exception_ptr& complaint);
  /// Waits.
  ~statement();
  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;

  /// Whether what all ranks of `on` say is known as soon as they have made a statement.
  [[nodiscard]] static bool known_at_once(const communicator& on) { return on.size() == 1 || on.board() != nullptr; }
  /// Whether it is known what all ranks said, or waits for it. Statements of one tag must be asked in their order.
  [[nodiscard]] bool known(bool wait);
  /// What any rank has set; only once it is known.
  [[nodiscard]] const bits& united() const { return said_.united; }
  /// Whether any rank had a complaint, and throws that of the lowest such rank, on all ranks; likewise. Collective
  /// where it is known at once.
  [[nodiscard]] bool complains() const;
  void rethrow() const;

 private:
  struct words {
    bits united;
    std::uint64_t speaker;  ///< the lowest rank with a complaint, or the number of ranks
  };
  static void unite(void* in, void* with, int* count, MPI_Datatype* type);
  [[nodiscard]] bool done(bool wait);

  communicator on_;
  int tag_;
  std::exception_ptr complaint_;
  words said_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  // The complaint, once somebody is known to have one: told by that rank, one rank after the other. So short a message
  // leaves before anybody listens.
  static constexpr int most_text = 2000;
  struct told_complaint {
    int code;
    std::array<char, most_text> text;
  };
  told_complaint told_{};
  int next_ = -1;  ///< whom the speaker tells next, or for others whether they listen; -1: nobody knows yet
};

}  // namespace weft::mpi
