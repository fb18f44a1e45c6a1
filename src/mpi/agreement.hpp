// All ranks go on, or all throw the same error.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mpi/communicator.hpp"

namespace weft::mpi {

/// Calls `validate` on every rank. If it throws a weft::error anywhere, every rank throws that of the
/// lowest such rank. Collective.
void agree(const communicator& on, const std::function<void()>& validate);

/// An argument by its name, as text.
struct argument {
  std::string name;
  std::string value;
};

/// Throws mismatch_error on every rank unless all arguments are the same on all.
void require_same(const communicator& on, const std::vector<argument>& arguments);

/// The text of rank `root`, on every rank.
[[nodiscard]] std::string broadcast(const communicator& on, std::string text, int root);

/// The bits that any rank has set. Nobody returns before all have come.
[[nodiscard]] long long united_bits(const communicator& on, long long mine);

/// The largest value of any rank.
[[nodiscard]] long long largest(const communicator& on, long long value);
/// The same for each of several values.
void largest(const communicator& on, std::span<long long> values);

}  // namespace weft::mpi
