// SPDX-License-Identifier: BSD-3-Clause
// Distributed arrays in HDF5 files: one dataset in natural order, whatever the ranks and the distribution.
#pragma once

#include <mpi.h>

#include <complex>
#include <string>
#include <type_traits>

#include "weft/array.hpp"
#include "weft/gather.hpp"
#include "weft/types.hpp"

namespace [[gnu::visibility("default")]] weft {

/// What a file has.
struct stored_array {
  extents shape;
  integer batch = 1;
  precision element = precision::f64;
  bool complex = false;
  std::string distribution;  ///< as text, of the array that was written; empty if something else wrote the file
};

/// Whether this build can read and write files. Those that were built without parallel HDF5 throw file_error instead.
[[nodiscard]] bool can_store();

namespace detail {

struct file_element {
  precision element;
  bool complex;
};

template <class T>
struct file_element_of {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>, "files have float, double and complex of these");
  static constexpr file_element value{std::is_same_v<T, float> ? precision::f32 : precision::f64, false};
};
template <class T>
struct file_element_of<std::complex<T>> {
  static constexpr file_element value{file_element_of<T>::value.element, true};
};

void write(const std::string& file, const std::string& dataset, const any_array& x, file_element of, MPI_Comm on);
void read(const std::string& file, const std::string& dataset, const any_array& x, file_element of, MPI_Comm on);

}  // namespace detail

/// Writes an array to a file of its own, as a dataset of the array's shape in row-major order; a batch of more than one
/// is the first axis. Complex elements are compounds of "r" and "i", as h5py has them. Attributes of the dataset tell
/// shape, batch and distribution. The file is written under another name, flushed to the disk and then renamed:
/// whatever happens meanwhile, under `file` there is either what was there before or all of the new. Collective; throws
/// the same error on all ranks. Takes memory for one array of the batch besides it.
template <class T>
void write(const std::string& file, const array<T>& x, MPI_Comm on, const std::string& dataset = "data") {
  detail::write(file, dataset, detail::any(x), detail::file_element_of<T>::value, on);
}

/// Reads a dataset of the shape and batch of `x`, which may be distributed in any way; precision is converted.
/// Collective; throws the same error on all ranks.
template <class T>
void read(const std::string& file, array<T>& x, MPI_Comm on, const std::string& dataset = "data") {
  detail::read(file, dataset, detail::any(x), detail::file_element_of<T>::value, on);
}

/// What a dataset is, to make an array for it. Of a batch written by something else, the first axis is one of the
/// shape. Collective.
[[nodiscard]] stored_array look_into(const std::string& file, MPI_Comm on, const std::string& dataset = "data");

}  // namespace weft
