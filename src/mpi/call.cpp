// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call.hpp"

#include <array>
#include <string>

#include "weft/error.hpp"

namespace weft::mpi {

void check(int status, const char* name) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw mpi_error(std::string(name) + " failed: " + std::string(text.data(), static_cast<std::size_t>(length)));
}

bool alive() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

}  // namespace weft::mpi
