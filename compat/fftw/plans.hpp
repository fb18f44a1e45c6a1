// SPDX-License-Identifier: BSD-3-Clause
// FFTW-MPI's plans, made of Weft's.
#pragma once

#include <mpi.h>

#include "precision.hpp"
#include "slabs.hpp"

namespace weft::fftw {

enum class kind : char { dft, r2c, c2r, r2r, transpose };

/// The arguments of one of the functions fftw_mpi_plan_many_*.
struct request {
  kind what = kind::dft;
  extents n;
  integer howmany = 1;
  integer input_block = 0, output_block = 0;
  void *in = nullptr, *out = nullptr;
  MPI_Comm on = MPI_COMM_NULL;
  int sign = FFTW_FORWARD;
  const r2r_kind* kinds = nullptr;
  unsigned flags = 0;
};

/// By Weft, else by FFTW's library, else null. Collective.
[[nodiscard]] plan_pointer plan_of(const request& asked);

/// The blocks of a one-dimensional transform: where there is an FFTW-MPI it chooses them, since it may have to do it.
struct blocks_1d {
  integer elements = 0;  ///< that a rank needs room for, all arrays together
  local_block input, output;
};
[[nodiscard]] blocks_1d sizes_1d(integer n, integer howmany, MPI_Comm on, int sign, unsigned flags);

}  // namespace weft::fftw
