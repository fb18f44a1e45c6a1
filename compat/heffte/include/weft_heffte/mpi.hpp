// SPDX-License-Identifier: BSD-3-Clause
// The small helpers that heFFTe's users call.
#ifndef WEFT_HEFFTE_MPI_HPP
#define WEFT_HEFFTE_MPI_HPP

#include <mpi.h>

#include <complex>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace heffte {

namespace mpi {

inline int comm_rank(MPI_Comm const comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int comm_size(MPI_Comm const comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}
inline int world_rank() { return comm_rank(MPI_COMM_WORLD); }
inline bool world_rank(int rank) { return world_rank() == rank; }
inline MPI_Comm new_comm_from_group(std::vector<int> const& ranks, MPI_Comm const comm) {
  MPI_Group all, some;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
  MPI_Comm result;
  MPI_Comm_create(comm, some, &result);
  MPI_Group_free(&all);
  MPI_Group_free(&some);
  return result;
}
inline void comm_free(MPI_Comm comm) {
  if (MPI_Comm_free(&comm) != MPI_SUCCESS) throw std::runtime_error("Could not free a communicator.");
}
template <typename vector_like>
void dump(int rank, vector_like const& x, std::string const& message) {
  if (rank >= 0 && !world_rank(rank)) return;
  std::cout << message << "\n";
  for (auto const& value : x) std::cout << value << "  ";
  std::cout << std::endl;
}

template <typename scalar>
MPI_Datatype type_from();
template <>
inline MPI_Datatype type_from<int>() {
  return MPI_INT;
}
template <>
inline MPI_Datatype type_from<float>() {
  return MPI_FLOAT;
}
template <>
inline MPI_Datatype type_from<double>() {
  return MPI_DOUBLE;
}
template <>
inline MPI_Datatype type_from<std::complex<float>>() {
  return MPI_C_COMPLEX;
}
template <>
inline MPI_Datatype type_from<std::complex<double>>() {
  return MPI_C_DOUBLE_COMPLEX;
}

}  // namespace mpi

// heFFTe's own traces; Weft has a timeline instead (docs/using.md).
inline void init_tracing(std::string const& /*name*/ = std::string()) {}
inline void finalize_tracing() {}
struct add_trace {
  explicit add_trace(std::string const& /*name*/) {}
};

}  // namespace heffte

#endif
