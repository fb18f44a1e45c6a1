// SPDX-License-Identifier: BSD-3-Clause
// Options are taken and kept; Weft's planner chooses instead of them.
#ifndef WEFT_HEFFTE_OPTIONS_HPP
#define WEFT_HEFFTE_OPTIONS_HPP

#include <mpi.h>

#include <iostream>

namespace heffte {

enum class reshape_algorithm { alltoallv = 0, alltoall = 3, p2p_plined = 1, p2p = 2 };

struct plan_options {
  template <typename backend_tag>
  explicit plan_options(backend_tag const) : plan_options(false, reshape_algorithm::alltoallv, true) {}
  plan_options(bool reorder, reshape_algorithm with, bool pencils)
      : use_reorder(reorder), algorithm(with), use_pencils(pencils), use_gpu_aware(true), subranks_(-1) {}

  void use_num_subranks(int ranks) { subranks_ = ranks; }
  void use_subcomm(MPI_Comm) { subranks_ = 1; }
  int get_subranks() const { return subranks_; }

  bool use_reorder;
  reshape_algorithm algorithm;
  bool use_pencils;
  bool use_gpu_aware;

 private:
  int subranks_;
};

inline std::ostream& operator<<(std::ostream& os, plan_options const o) {
  const char* const with = o.algorithm == reshape_algorithm::alltoallv    ? "mpi:alltoallv"
                           : o.algorithm == reshape_algorithm::alltoall   ? "mpi:alltoall"
                           : o.algorithm == reshape_algorithm::p2p_plined ? "mpi:point-to-point-pipelined"
                                                                          : "mpi:point-to-point";
  return os << "options = (" << (o.use_reorder ? "fft1d:contiguous" : "fft1d:strided") << ", " << with << ", "
            << (o.use_pencils ? "decomposition:pencil" : "decomposition:slab") << ", "
            << (o.use_gpu_aware ? "mpi:from-gpu" : "mpi:from-cpu") << ")";
}

template <typename backend_tag>
plan_options default_options() {
  return plan_options(backend_tag());
}

}  // namespace heffte

#endif
