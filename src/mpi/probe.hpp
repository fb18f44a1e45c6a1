// SPDX-License-Identifier: BSD-3-Clause
// How fast ranks talk to each other.
#pragma once

#include <cstddef>

#include "mpi/communicator.hpp"

namespace weft::mpi {

/// Collective. Seconds that ranks take to exchange a message of `bytes` with a partner each, all pairs at once and the
/// slowest pair counted; the least of some repetitions. `partner` is mutual, or the rank itself for none. The same on
/// every rank; 0 if nobody has a partner.
[[nodiscard]] double seconds_with_partner(const communicator& on, int partner, std::size_t bytes);

/// Whom a rank sends to and receives from; -1: nobody.
struct correspondents {
  int to = -1, from = -1;
};
/// Collective. Seconds in which every rank sends `messages` of `bytes` and receives as many, all at once, the slowest
/// rank counted; the least of `times`. Every message must be expected by its receiver. The same on every rank.
[[nodiscard]] double seconds_of_messages(const communicator& on, correspondents with, int messages, std::size_t bytes,
                                         int times);

/// Collective. Seconds of a barrier of `of`, a part of `on`; the slowest part counts.
[[nodiscard]] double seconds_of_barrier(const communicator& on, const communicator& of);

}  // namespace weft::mpi
