// SPDX-License-Identifier: BSD-3-Clause
// Schedules bound on real ranks, below the public interface.
#pragma once

#include "bound.hpp"
#include "run/bind.hpp"

namespace weft::testing {

/// Collective.
inline bound bound_on(const mpi::communicator& on, const schedule& made, const binding_pair& how,
                      const std::shared_ptr<run::workspace>& memory) {
  const auto there = run::bind(made, how.forward, memory->size(), on);
  const auto back = run::bind(inverse(made), how.backward, memory->size().with(there->needs), on);
  bound both{run::open(there, memory, on), run::open(back, memory, on), memory};
  expect_within(*memory, how.forward.memory_limit);
  return both;
}

}  // namespace weft::testing
