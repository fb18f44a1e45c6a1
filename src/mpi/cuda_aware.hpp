// SPDX-License-Identifier: BSD-3-Clause
// Whether the MPI library sends from the memory of devices.
#pragma once

namespace weft::mpi {

/// Asked of the library, where it has a way to tell; never assumed. The same on every rank of one installation.
[[nodiscard]] bool takes_device_pointers();

}  // namespace weft::mpi
