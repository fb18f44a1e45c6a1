// SPDX-License-Identifier: BSD-3-Clause
// All ranks go on, or all throw the same error.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <vector>

#include "mpi/communicator.hpp"
#include "weft/error.hpp"

namespace weft::mpi {

/// What every call of a user's begins with: MPI itself would end the program.
void require_alive();

/// What is thrown, as others are told of it.
struct complaint {
  error_code code = error_code::internal;
  std::string text;
};
[[nodiscard]] complaint complaint_of(const std::exception_ptr& thrown);

/// Throws on every rank, if any has a complaint, that of the lowest such rank. Collective.
void share_complaint(const communicator& on, const std::exception_ptr& mine);

/// Calls `validate` on every rank. If it throws anywhere, every rank throws the error of the lowest such rank.
/// Collective. What may fail on one rank alone, be it for want of memory, belongs in here; what waits for other ranks
/// of `on` does not.
template <class Validate>
void agree(const communicator& on, const Validate& validate) {
  std::exception_ptr complaint;
  try {
    validate();
  } catch (...) {
    complaint = std::current_exception();
  }
  share_complaint(on, complaint);
}

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

/// The sum over all ranks of each of several values, the same bits on every rank.
void sum(const communicator& on, std::span<double> values);
void sum(const communicator& on, std::span<long long> values);

}  // namespace weft::mpi
