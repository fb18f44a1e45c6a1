// SPDX-License-Identifier: BSD-3-Clause
#include "facade/call.hpp"

#include "device/device.hpp"
#include "mpi/agreement.hpp"
#include "weft/error.hpp"

namespace weft::facade {

void require_terms(const detail::array_terms& got, const detail::array_terms& needed, const char* which,
                   const char* needs, const char* advice) {
  const auto batch = [](const detail::array_terms& of) { return " (batch " + std::to_string(of.batch) + ")"; };
  const auto owned = [&](const detail::array_terms& of) {
    return of.how.text() + " of " + to_text(of.how.shape()) + batch(of);
  };
  const auto placed = [](const detail::array_terms& of) {
    return "rank " + std::to_string(of.rank) + " with " + to_text(of.where);
  };
  if (got.how != needed.how || got.batch != needed.batch) {
    throw buffer_error(std::string(which) + " array is distributed as " + owned(got) + ", " + needs + " " +
                       owned(needed) + advice);
  }
  if (got.rank != needed.rank || !same_addresses(got.where, needed.where, got.local_shape)) {
    throw buffer_error(std::string(which) + " array is for " + placed(got) + ", " + needs + " " + placed(needed) +
                       advice);
  }
}

void require_room(std::span<const std::byte> array, std::size_t needs, int rank, const char* which) {
  if (array.size() < needs) {
    throw buffer_error(std::string(which) + " has " + std::to_string(array.size()) + " bytes on rank " +
                       std::to_string(rank) + ", needs " + std::to_string(needs) +
                       "; see input_elements() and output_elements()");
  }
  if (needs > 0 && array.data() == nullptr) {
    throw buffer_error(std::string(which) + " is a null pointer on rank " + std::to_string(rank) +
                       ", where it must have " + std::to_string(needs) + " bytes");
  }
}

footprint footprint_of(const std::byte* data, integer offset, integer reach, integer count, std::size_t element_bytes) {
  if (data == nullptr || count == 0) return {};
  const auto bytes = static_cast<integer>(element_bytes);
  return {data + offset * bytes, data + reach * bytes, reach - offset == count};
}

bool overlap(const footprint& a, const footprint& b) {
  if (a.first == a.end || b.first == b.end) return false;
  // There are elements at both ends. If an array without gaps has an end of another, it has an element of it.
  if (a.first == b.first || a.end == b.end) return true;
  const auto has_end = [](const footprint& of, const footprint& in) {
    return in.gapless && ((of.first >= in.first && of.first < in.end) || (of.end > in.first && of.end <= in.end));
  };
  return has_end(a, b) || has_end(b, a);
}

void require_apart(std::span<const std::byte> in, const footprint& in_lies, std::span<const std::byte> out,
                   const footprint& out_lies, bool in_place, int rank) {
  // Where one of them has no elements, its address says nothing.
  const bool both = in_lies.first != in_lies.end && out_lies.first != out_lies.end;
  if (in_place ? in.data() != out.data() : both && in.data() == out.data()) {
    throw buffer_error(in_place ? "input and output are different memory, but this works in place; pass the same "
                                  "pointer, or ask for in_place = false"
                                : "input and output are the same memory; pass different pointers, or ask for "
                                  "in_place = true");
  }
  if (!in_place && overlap(in_lies, out_lies)) {
    const auto bytes_of = [](const footprint& of) { return std::to_string(of.end - of.first); };
    throw buffer_error("input and output overlap on rank " + std::to_string(rank) + ": the output's " +
                       bytes_of(out_lies) + " bytes begin " + std::to_string(out_lies.first - in_lies.first) +
                       " bytes behind the beginning of the input's " + bytes_of(in_lies) +
                       "; pass arrays that lie apart, or the same pointer and ask for in_place = true");
  }
}

void require_place(const device::device* on, const std::string& named, std::span<const std::byte> array,
                   std::size_t multiple, int rank, const char* which) {
  if (array.empty()) return;
  const auto complain = [&](const std::string& where) {
    throw buffer_error(std::string(which) + " is " + where + " on rank " + std::to_string(rank) +
                       ", but the plan's device is '" + named +
                       "'; make arrays with make_input() and make_output(), or copy them");
  };
  if (on == nullptr) {
    if (device::is_known_device_address(array.data())) complain("in a device's memory");
    return;
  }
  if (!on->reaches(array.data())) complain("in the host's memory");
  if (on->has_handles() && reinterpret_cast<std::uintptr_t>(array.data()) % multiple != 0) {
    complain("at an address that is no multiple of " + std::to_string(multiple));
  }
}

namespace {

// A bit each for a complaint and for a negative number; then of each number some bits and their complements: if all
// ranks have the same, no bit is set in both. The last two bits are for those with and without a function.
constexpr std::uint64_t complains_bit = 1, negative_bit = 2;
constexpr int first_number = 2, width = 15, function_bit = first_number + 4 * width;
constexpr std::uint64_t mask = (1ULL << width) - 1;

int place_of(std::size_t number) { return first_number + 2 * width * static_cast<int>(number); }

}  // namespace

std::uint64_t told_bits(bool complains, const std::array<int, 2>& numbers, bool with_function) {
  std::uint64_t bits = complains ? complains_bit : 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0) bits |= negative_bit;
    const std::uint64_t number = static_cast<std::uint64_t>(numbers[i]) & mask;
    bits |= (number | (number ^ mask) << width) << place_of(i);
  }
  return bits | 1ULL << (with_function ? function_bit : function_bit + 1);
}

bool have_same_numbers(std::uint64_t told_by_any) {
  if ((told_by_any >> function_bit & 3U) == 3U) {
    throw mismatch_error("some ranks passed a function of modes, others did not; pass one on every rank, or on none");
  }
  bool same = (told_by_any & negative_bit) == 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::uint64_t both = told_by_any >> place_of(i);
    same = same && (both & (both >> width) & mask) == 0;
  }
  return same;
}

bool tell_others(const mpi::communicator& on, const std::exception_ptr& complaint, const std::array<int, 2>& numbers,
                 bool with_function) {
  auto bits = static_cast<long long>(told_bits(complaint != nullptr, numbers, with_function));
  if (on.size() > 1) bits = mpi::united_bits(on, bits);
  const auto united = static_cast<std::uint64_t>(bits);
  if ((united & complains_bit) != 0) mpi::share_complaint(on, complaint);
  return have_same_numbers(united);
}

}  // namespace weft::facade
