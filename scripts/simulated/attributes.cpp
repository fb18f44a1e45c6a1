// SPDX-License-Identifier: BSD-3-Clause
// Attributes of communicators for each rank, as MPI has them. SMPI (SimGrid 3.32) keeps one set for all ranks of the process: one that
// comes late to its first plan found what another had attached already, took that for its own, and left out collective calls. Linked
// into the program, these definitions go before the library's.
#include <mpi.h>

#include <map>
#include <tuple>

namespace {

using place = std::tuple<int, MPI_Comm, int>;

std::map<place, void*>& attributes() {
  static std::map<place, void*> all;
  return all;
}

int this_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

}  // namespace

extern "C" {

int MPI_Comm_set_attr(MPI_Comm on, int key, void* value) {
  attributes()[{this_rank(), on, key}] = value;
  return MPI_SUCCESS;
}

/// What MPI itself attaches is in the library.
int MPI_Comm_get_attr(MPI_Comm on, int key, void* value, int* present) {
  const auto found = attributes().find({this_rank(), on, key});
  if (found == attributes().end()) return PMPI_Comm_get_attr(on, key, value, present);
  *static_cast<void**>(value) = found->second;
  *present = 1;
  return MPI_SUCCESS;
}

/// Another communicator may get this one's address. What was attached stays: who knows whether others still use it.
int MPI_Comm_free(MPI_Comm* on) {
  const int rank = this_rank();
  std::erase_if(attributes(), [&](const auto& entry) {
    return std::get<0>(entry.first) == rank && std::get<1>(entry.first) == *on;
  });
  return PMPI_Comm_free(on);
}
}
