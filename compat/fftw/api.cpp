// SPDX-License-Identifier: BSD-3-Clause
// The functions of libfftw3_mpi, and the wrappers that fftw3-mpi.f03 binds to, whose communicators are integers.
#include <algorithm>

#include "plan_slots.hpp"
#include "plans.hpp"
#include "stock.hpp"

#define WEFT_EXPORT extern "C" __attribute__((visibility("default")))

using weft::extents;
using weft::fftw::block_of;
using weft::fftw::kind;
using weft::fftw::plan_of;
using weft::fftw::rounded_up_quotient;
using weft::fftw::stock;
using size = std::ptrdiff_t;
using plan_pointer = weft::fftw::plan_pointer;
using real = weft::fftw::real;
using cplx = weft::fftw::fftw_complex_type;
using r2r_kind = weft::fftw::r2r_kind;

namespace {

extents list(int rnk, const size* n) { return rnk < 1 || n == nullptr ? extents{} : extents(n, n + rnk); }

void execute(plan_pointer p, void* in, void* out) {
  if (weft::fftw::slots_are_known()) {
    if (auto* const ours = weft::fftw::transform_of(p)) return weft::fftw::run_or_abort(*ours, in, out);
  }
  if (stock().there()) stock().execute_r2r(p, static_cast<real*>(in), static_cast<real*>(out));
}

/// FFTW's own answer says how much room its algorithms take; ours need room for the elements alone.
size local_sizes(int rnk, const size* n, size howmany, size block0, size block1, MPI_Comm on, size* local_n0,
                 size* start0, size* local_n1, size* start1) {
  if (stock().there()) {
    return stock().local_size_many_transposed(rnk, n, howmany, block0, block1, on, local_n0, start0, local_n1, start1);
  }
  int rank = 0, ranks = 1;
  MPI_Comm_rank(on, &rank);
  MPI_Comm_size(on, &ranks);
  size others = 1;
  for (int a = 2; a < rnk; ++a) others *= n[a];
  const auto block = [&](int axis, size given) {
    return rnk <= axis ? weft::fftw::local_block{1, 0}
                       : block_of(n[axis], given > 0 ? given : rounded_up_quotient(n[axis], ranks), rank);
  };
  const auto first = block(0, block0), second = rnk == 1 ? first : block(1, block1);
  *local_n0 = first.count;
  *start0 = first.start;
  *local_n1 = second.count;
  *start1 = second.start;
  const size straight = first.count * (rnk > 1 ? n[1] : 1), transposed = rnk > 1 ? second.count * n[0] : 0;
  return howmany * std::max<size>(1, others * std::max(straight, transposed));
}

size local_sizes_1d(size n0, size howmany, MPI_Comm on, int sign, unsigned flags, size* ci, size* si, size* co,
                    size* so) {
  const auto found = weft::fftw::sizes_1d(n0, howmany, on, sign, flags);
  *ci = found.input.count;
  *si = found.input.start;
  *co = found.output.count;
  *so = found.output.start;
  return found.elements;
}

}  // namespace

WEFT_EXPORT void WEFT_XM(init)() {
  if (stock().there()) stock().init();
}
WEFT_EXPORT void WEFT_XM(cleanup)() {
  if (stock().there()) {
    stock().cleanup();
  } else {
    WEFT_X(cleanup)();
  }
}
WEFT_EXPORT void WEFT_XM(execute_dft)(plan_pointer p, cplx* in, cplx* out) { execute(p, in, out); }
WEFT_EXPORT void WEFT_XM(execute_dft_r2c)(plan_pointer p, real* in, cplx* out) { execute(p, in, out); }
WEFT_EXPORT void WEFT_XM(execute_dft_c2r)(plan_pointer p, cplx* in, real* out) { execute(p, in, out); }
WEFT_EXPORT void WEFT_XM(execute_r2r)(plan_pointer p, real* in, real* out) { execute(p, in, out); }

// What has a communicator among its arguments, as C calls it.
#define WEFT_NAME(name) WEFT_XM(name)
#define WEFT_COMM MPI_Comm
#define WEFT_ON(comm) (comm)
#include "functions-inl.hpp"
#undef WEFT_NAME
#undef WEFT_COMM
#undef WEFT_ON

// And as fftw3-mpi.f03 does.
#define WEFT_NAME(name) WEFT_XM(name##_f03)
#define WEFT_COMM MPI_Fint
#define WEFT_ON(comm) MPI_Comm_f2c(comm)
#include "functions-inl.hpp"
