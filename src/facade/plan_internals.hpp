// SPDX-License-Identifier: BSD-3-Clause
// What helpers that are bound to a plan may know of it beyond its public face.
#pragma once

#include "mpi/communicator.hpp"
#include "weft/plan.hpp"

namespace weft::detail {

struct plan_internals {
  [[nodiscard]] static const mpi::communicator& ranks_of(const plan& p);
};

}  // namespace weft::detail
