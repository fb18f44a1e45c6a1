// SPDX-License-Identifier: BSD-3-Clause
// What the files of the Python module `weft._core` share. The module is thin: it converts values and lets go of the
// interpreter while the library works; everything that Python users meet is written in Python (python/weft).
#pragma once

#include <mpi.h>
#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <weft/weft.hpp>

namespace weft::python {

namespace py = pybind11;

/// Of every call that may wait for other ranks or take long.
using without_interpreter = py::call_guard<py::gil_scoped_release>;

/// Python tells addresses as numbers.
inline std::byte* pointer_at(std::uintptr_t address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}
inline std::span<const std::byte> bytes_at(std::uintptr_t address, std::size_t bytes) {
  return {pointer_at(address), bytes};
}
inline std::span<std::byte> writable_bytes_at(std::uintptr_t address, std::size_t bytes) {
  return {pointer_at(address), bytes};
}

/// A communicator by its handle as mpi4py tells it (MPI._handleof): an address or a number, depending on the MPI
/// library.
template <class Handle = MPI_Comm>
Handle communicator_of(std::uintptr_t handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<Handle>(pointer_at(handle));
  } else {
    return static_cast<Handle>(handle);
  }
}

/// An array of Python's: whose part it is, and where its layout counts from.
struct part {
  distribution how;
  int rank;
  integer batch;
  layout where;
  std::uintptr_t address;
  std::size_t bytes;

  /// Whoever passes it keeps the memory.
  template <class T>
  [[nodiscard]] array<T> as() const {
    const std::shared_ptr<std::byte> block(pointer_at(address), [](std::byte*) {});
    return array<T>(how, rank, batch, where, bytes > 0 ? memory(block, bytes) : memory());
  }
};

/// Bytes as a NumPy array that keeps the memory.
py::array array_over(const memory& block);

void bind_errors(py::module_& m);
void bind_values(py::module_& m);
void bind_plans(py::module_& m);
void bind_explanations(py::module_& m);
void bind_dlpack(py::module_& m);
void bind_fields(py::module_& m);
void bind_convolutions(py::module_& m);
void bind_plane_waves(py::module_& m);

}  // namespace weft::python
