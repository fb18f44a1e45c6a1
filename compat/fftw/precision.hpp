// SPDX-License-Identifier: BSD-3-Clause
// FFTW has a library for each precision; these sources are compiled once for each, with or without WEFT_FFTW_SINGLE.
#pragma once

#include "fftw3-mpi.h"

#ifdef WEFT_FFTW_SINGLE
#define WEFT_X(name) FFTW_MANGLE_FLOAT(name)
#define WEFT_XM(name) FFTW_MPI_MANGLE_FLOAT(name)
#else
#define WEFT_X(name) FFTW_MANGLE_DOUBLE(name)
#define WEFT_XM(name) FFTW_MPI_MANGLE_DOUBLE(name)
#endif
#define WEFT_STRING_OF(name) #name
#define WEFT_STRING(name) WEFT_STRING_OF(name)

namespace weft::fftw {

#ifdef WEFT_FFTW_SINGLE
using real = float;
inline constexpr char mpi_library[] = "libfftw3f_mpi.so.3";
#else
using real = double;
inline constexpr char mpi_library[] = "libfftw3_mpi.so.3";
#endif
using plan_pointer = WEFT_X(plan);
using r2r_kind = WEFT_X(r2r_kind);
using fftw_complex_type = WEFT_X(complex);

}  // namespace weft::fftw
