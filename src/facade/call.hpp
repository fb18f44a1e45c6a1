// SPDX-License-Identifier: BSD-3-Clause
// What every call of a plan, or of a redistribution, does first: all ranks look at their arguments and tell each other.
#pragma once

#include <array>
#include <cstdint>
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

/// Throws buffer_error unless an array is there and has so many bytes.
void require_room(std::span<const std::byte> array, std::size_t needs, int rank, const char* which);

/// The memory that the elements of an array lie in.
struct footprint {
  const std::byte* first = nullptr;
  const std::byte* end = nullptr;
  bool gapless = true;  ///< nothing else lies between
};

/// Of `count` elements that reach from the layout's offset behind `data` to `reach` elements behind it.
[[nodiscard]] footprint footprint_of(const std::byte* data, integer offset, integer reach, integer count,
                                     std::size_t element_bytes);

/// Whether two arrays have elements in the same memory. Those that both have gaps may lie in each other's, as the
/// components of one larger array do, and count as apart.
[[nodiscard]] bool overlap(const footprint& a, const footprint& b);

/// Throws buffer_error unless input and output are the same memory, if they must be, or lie apart.
void require_apart(std::span<const std::byte> in, const footprint& in_lies, std::span<const std::byte> out,
                   const footprint& out_lies, bool in_place, int rank);

/// Throws buffer_error unless an array is in the memory of `on`, at a multiple of so many bytes, or in the host's if
/// that is null. `named` is what the user calls the device.
void require_place(const device::device* on, const std::string& named, std::span<const std::byte> array,
                   std::size_t multiple, int rank, const char* which);

/// What a rank tells the others when a call begins, and what comes of what any rank told but for complaints: see
/// agree_on_call().
[[nodiscard]] std::uint64_t told_bits(bool complains, const std::array<int, 2>& numbers, bool with_function);
[[nodiscard]] bool have_same_numbers(std::uint64_t told_by_any);

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
