// SPDX-License-Identifier: BSD-3-Clause
// What every call of a plan, or of a redistribution, does first: all ranks look at their arguments and tell each other.
#pragma once

#include <array>
#include <exception>
#include <span>
#include <string>

#include "mpi/communicator.hpp"
#include "weft/array.hpp"

namespace weft::device {
class device;
}

namespace weft::facade {

/// Throws buffer_error unless an array is what is needed. Texts: which array it is, who needs what, and some advice.
void require_terms(const detail::array_terms& got, const detail::array_terms& needed, const char* which,
                   const char* needs, const char* advice);

/// Throws buffer_error unless an array is in the memory of `on`, at a multiple of so many bytes, or in the host's if
/// that is null. `named` is what the user calls the device.
void require_place(const device::device* on, const std::string& named, std::span<const std::byte> array,
                   std::size_t multiple, int rank, const char* which);

/// See below; `complaint` is this rank's, null for none.
[[nodiscard]] bool tell_others(const mpi::communicator& on, const std::exception_ptr& complaint,
                               const std::array<int, 2>& numbers, bool with_function = false);

/// Throws the same error on every rank if `check` throws on any, or if not all pass a function or none does. Returns
/// whether all ranks passed the same `numbers`, none of which is negative. Collective, with one small reduction unless
/// somebody complains; nobody returns before all have come. Allocates nothing unless somebody complains.
template <class Check>
[[nodiscard]] bool agree_on_call(const mpi::communicator& on, const Check& check,
                                 const std::array<int, 2>& numbers = {}, bool with_function = false) {
  std::exception_ptr complaint;
  try {
    check();
  } catch (...) {
    complaint = std::current_exception();
  }
  return tell_others(on, complaint, numbers, with_function);
}

}  // namespace weft::facade
