// SPDX-License-Identifier: BSD-3-Clause
// FFTW's own libfftw3_mpi, to which goes what Weft does not have. Found at run time, next to ours in the process.
#pragma once

#include <string>

#include "precision.hpp"

namespace weft::fftw {

/// The functions of FFTW's library that are called here. They lead to no function that this library defines, but
/// fftw_mpi_init: inside FFTW's library, too, such names mean ours.
struct stock_library {
  std::string path;  ///< empty: there is none
  decltype(&WEFT_XM(init)) init = nullptr;
  decltype(&WEFT_XM(cleanup)) cleanup = nullptr;
  decltype(&WEFT_XM(gather_wisdom)) gather_wisdom = nullptr;
  decltype(&WEFT_XM(broadcast_wisdom)) broadcast_wisdom = nullptr;
  decltype(&WEFT_XM(local_size_many_transposed)) local_size_many_transposed = nullptr;
  decltype(&WEFT_XM(local_size_many_1d)) local_size_many_1d = nullptr;
  decltype(&WEFT_XM(plan_many_transpose)) plan_many_transpose = nullptr;
  decltype(&WEFT_XM(plan_many_dft)) plan_many_dft = nullptr;
  decltype(&WEFT_XM(plan_many_dft_r2c)) plan_many_dft_r2c = nullptr;
  decltype(&WEFT_XM(plan_many_dft_c2r)) plan_many_dft_c2r = nullptr;
  decltype(&WEFT_XM(plan_many_r2r)) plan_many_r2r = nullptr;
  decltype(&WEFT_XM(execute_r2r)) execute_r2r = nullptr;

  [[nodiscard]] bool there() const { return !path.empty(); }
};

/// Looked for once: where $WEFT_FFTW_STOCK says ("none": nowhere), else beside the libfftw3 that the process uses, else
/// where it was when this library was built. One that was built for another MPI is not taken.
[[nodiscard]] const stock_library& stock();

/// Whether FFTW's execute and destroy functions are known to reach plans that are not FFTW's (plan_slots.hpp).
[[nodiscard]] bool slots_are_known();

}  // namespace weft::fftw
