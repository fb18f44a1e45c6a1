// What every call of a plan, or of a redistribution, does first: all ranks look at their arguments and tell each other.
#pragma once

#include <array>
#include <functional>

#include "mpi/communicator.hpp"

namespace weft::facade {

/// Throws the same error on every rank if `check` throws on any. Returns whether all ranks passed the same `numbers`,
/// none of which is negative. Collective, with one small reduction unless somebody complains; nobody returns before all
/// have come.
[[nodiscard]] bool agree_on_call(const mpi::communicator& on, const std::function<void()>& check,
                                 const std::array<int, 2>& numbers = {});

}  // namespace weft::facade
