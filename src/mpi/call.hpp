// SPDX-License-Identifier: BSD-3-Clause
// MPI return codes become exceptions.
#pragma once

#include <mpi.h>

namespace weft::mpi {

/// Throws mpi_error with MPI's own text unless `status` is MPI_SUCCESS; `name` is the call's.
void check(int status, const char* name);

/// Whether MPI is initialised and not yet finalised: the only time handles may be freed.
[[nodiscard]] bool alive();

}  // namespace weft::mpi
