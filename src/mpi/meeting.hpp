// SPDX-License-Identifier: BSD-3-Clause
// A barrier that gives up on ranks that do not come.
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

#include "mpi/board.hpp"
#include "mpi/communicator.hpp"

namespace weft::mpi {

/// Waits for all of them, but no longer than so many seconds, 0: for ever. Whether they are complete.
[[nodiscard]] bool wait_for(std::span<MPI_Request> requests, double seconds);

/// At a sheet of a board, or by messages. Dissemination: in as many rounds as the number of ranks has binary digits,
/// each tells the one so far ahead and hears from the one so far behind. As fast as MPI_Barrier, which cannot be left.
class meeting {
 public:
  /// `members`: what the ranks are called in errors, and on the board. `tag`: of no other messages of this
  /// communicator. All pass a sheet, the same one, or none does.
  meeting(communicator among, std::vector<int> members, int tag, double patience,
          std::shared_ptr<board::sheet> sheet = nullptr);

  /// Returns when all have come. Throws mpi_error if one does not within the patience, and from then on always: who is
  /// late may have come by then, and would be taken for punctual.
  void hold();

 private:
  void hold_by_messages();

  communicator among_;
  std::vector<int> members_;  // as the sheet's board has them, if there is one
  int tag_;
  double patience_;
  std::shared_ptr<board::sheet> sheet_;
  std::string given_up_;  // why
};

/// What a wait ends with that was too long; `whom` is text.
[[noreturn]] void give_up(const std::string& whom, double patience);

}  // namespace weft::mpi
