// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of a distributed array whose element type is known at run time only.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "ranks.hpp"
#include "weft/distribution.hpp"
#include "weft/problem.hpp"
#include "weft/types.hpp"

namespace weft::tool {

struct element_type {
  precision width = precision::f64;
  bool is_complex = true;

  [[nodiscard]] std::size_t bytes() const { return is_complex ? complex_bytes(width) : real_bytes(width); }
};

/// Sums of squares, of differences and of what was expected.
struct deviation {
  double difference = 0;
  double expected = 0;

  void add(const deviation& other) {
    difference += other.difference;
    expected += other.expected;
  }
  /// Relative L2 error over all ranks; collective.
  [[nodiscard]] double relative(const ranks& all) const;
};

/// A view: it does not own its memory. `batch` compact row-major arrays follow each other, or are interleaved.
class field {
 public:
  field(const distribution& how, int rank, const problem& what, element_type type, void* data)
      : how_(&how),
        rank_(rank),
        batch_(what.batch),
        step_(what.interleaved ? what.batch : 1),
        distance_(what.interleaved ? 1 : how.local_size(rank)),
        type_(type),
        data_(data) {}

  [[nodiscard]] const distribution& how() const { return *how_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] integer batch() const { return batch_; }
  /// Elements from one of an array to the next, and from one array of the batch to the next.
  [[nodiscard]] integer step() const { return step_; }
  [[nodiscard]] integer distance() const { return distance_; }
  [[nodiscard]] element_type type() const { return type_; }
  [[nodiscard]] void* data() const { return data_; }

  void fill(std::uint64_t seed) const;
  /// Against `scale` times what fill(seed) writes.
  [[nodiscard]] deviation compare_with_input(std::uint64_t seed, double scale) const;

 private:
  const distribution* how_;
  int rank_;
  integer batch_, step_, distance_;
  element_type type_;
  void* data_;
};

/// Calls visit(pointer) with a pointer of the element's own type.
template <class Visit>
auto with_typed_pointer(const field& of, Visit visit) {
  const bool is_float = of.type().width == precision::f32;
  if (of.type().is_complex) {
    if (is_float) return visit(static_cast<std::complex<float>*>(of.data()));
    return visit(static_cast<std::complex<double>*>(of.data()));
  }
  if (is_float) return visit(static_cast<float*>(of.data()));
  return visit(static_cast<double*>(of.data()));
}

}  // namespace weft::tool
