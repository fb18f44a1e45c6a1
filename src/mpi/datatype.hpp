// SPDX-License-Identifier: BSD-3-Clause
// Derived datatypes, built once and freed with their owner.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "weft/index.hpp"

namespace weft::mpi {

/// Owns a committed derived datatype, or names a predefined one.
class datatype {
 public:
  datatype() = default;
  [[nodiscard]] static datatype predefined(MPI_Datatype type) { return {type, false}; }
  [[nodiscard]] static datatype owned(MPI_Datatype type) { return {type, true}; }
  datatype(datatype&& other) noexcept
      : type_(std::exchange(other.type_, MPI_BYTE)), owned_(std::exchange(other.owned_, false)) {}
  datatype& operator=(datatype&& other) noexcept {
    std::swap(type_, other.type_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  datatype(const datatype&) = delete;
  datatype& operator=(const datatype&) = delete;
  ~datatype();

  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  datatype(MPI_Datatype type, bool is_owned) : type_(type), owned_(is_owned) {}
  MPI_Datatype type_ = MPI_BYTE;
  bool owned_ = false;
};

/// An element of `bytes` bytes.
[[nodiscard]] datatype element_type(std::size_t bytes);

/// One part of an axis as memory: `count` steps of `stride` bytes from `offset`.
struct strided_run {
  integer offset = 0;
  integer count = 0;
  integer stride = 0;
};

/// The product of lists of runs, one list per axis, outermost first, as a single datatype. Counts
/// above `count_limit` (that of an int, unless a test lowers it) are built from nested types.
[[nodiscard]] datatype strided_type(const datatype& element, std::size_t element_bytes,
                                    const std::vector<std::vector<strided_run>>& axes, integer count_limit);

/// `count` adjacent elements, `offset` bytes from the buffer, as one item.
[[nodiscard]] datatype block_type(const datatype& element, std::size_t element_bytes, integer offset, integer count,
                                  integer count_limit);

}  // namespace weft::mpi
