// SPDX-License-Identifier: BSD-3-Clause
// A complex transform of one line that no cache holds, in two passes over memory (four-step): its index has two digits,
// j = j1 n2 + j2 before and k = k1 + n1 k2 after. The first pass transforms the columns, digit j1, a few at a time and
// turns them by exp(-2 pi i k1 j2/n); the second transforms the rows, digit j2, a few at a time, and stores them where
// they belong. Between the two lies one line of work memory.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>

#include "local/kernel.hpp"
#include "local/root_table.hpp"

namespace weft::local {

class line_engine;

struct line_digits {
  integer first = 1, second = 1;  ///< n1 and n2
};
/// The two that are nearest to each other; none where that leaves a digit too long for a cache, or next to nothing of
/// the other.
[[nodiscard]] std::optional<line_digits> digits_of_line(integer length);

/// A line in memory.
struct strided_line {
  std::byte* address = nullptr;
  integer stride = 0;  ///< bytes
};

template <class Real>
class long_fft {
 public:
  using complex = std::complex<Real>;

  /// With what is done on the way in and out: scaling, and turning along the line.
  long_fft(line_digits digits, bool forward, const line_engine& by, int threads, const operation_list& loading = {},
           const operation_list& storing = {});

  /// Elements of a line in work memory. Element j of a line before its transform lies there at place(j).
  [[nodiscard]] integer work_elements() const { return digits_.first * row_; }
  [[nodiscard]] integer place(integer j) const { return j / digits_.second * row_ + j % digits_.second; }
  /// visit(j, place(j)) for begin <= j < end, without dividing each time.
  template <class Visit>
  void each_place(integer begin, integer end, const Visit& visit) const {
    for (integer j = begin, at = place(begin), left = digits_.second - begin % digits_.second; j < end; ++j, ++at) {
      if (left-- == 0) {
        at += row_ - digits_.second;
        left = digits_.second - 1;
      }
      visit(j, at);
    }
  }
  /// Bytes of 64-byte aligned scratch, besides.
  [[nodiscard]] std::size_t scratch_bytes() const { return static_cast<std::size_t>(threads_) * thread_scratch_; }

  /// All is loaded before the first is stored.
  void transform(const strided_line& from, const strided_line& to, bool stream, complex* work,
                 std::byte* scratch) const;

  /// In work memory, for convolutions: from the natural order to one that only the inverse understands; and back,
  /// which is for an object that transforms the other way.
  void to_digits(complex* work, std::byte* scratch) const;
  void from_digits(complex* work, std::byte* scratch) const;

 private:
  struct thread_space {
    complex* staging;
    complex* turns;
    std::byte* kernel;
  };
  [[nodiscard]] thread_space space_of(std::byte* scratch, int thread) const;
  template <class Visit>
  void each_group(integer count, std::byte* scratch, const Visit& visit) const;
  [[nodiscard]] run staged_columns(complex* staging) const;
  [[nodiscard]] run first_work_column(complex* work) const;
  [[nodiscard]] run work_rows(complex* work, integer first) const;
  void turn(const complex* from, integer from_stride, complex* to, integer to_stride, integer first, integer count,
            complex* turns) const;
  void columns(const run& first_column, complex* work, std::byte* scratch) const;
  void rows_in_place(complex* work, std::byte* scratch) const;

  line_digits digits_;
  bool forward_;
  int threads_;
  integer row_;    // elements from one row in work memory to the next
  int lanes_ = 0;  // of a bundle
  std::unique_ptr<kernel> columns_, rows_;
  root_table<Real> roots_;
  row_turns<Real> turns_{1, 1};
  /// What a turning along the whole line leaves to be done between the digits.
  struct part_of_turning {
    rotation by = {};
    root_table<Real> roots;
    bool conjugate = false;
  } load_turn_, store_turn_;
  std::size_t kernel_scratch_ = 0, thread_scratch_ = 0;
};

}  // namespace weft::local
