// SPDX-License-Identifier: BSD-3-Clause
// Included twice by api.cpp: for C, where a WEFT_COMM is an MPI_Comm, and for Fortran, where it is an integer.
// No include guard.

/// Wisdom is FFTW's: what it knows of serial transforms, and of MPI transforms that it does.
WEFT_EXPORT void WEFT_NAME(gather_wisdom)(WEFT_COMM comm) {
  if (stock().there()) stock().gather_wisdom(WEFT_ON(comm));
}
WEFT_EXPORT void WEFT_NAME(broadcast_wisdom)(WEFT_COMM comm) {
  if (stock().there()) stock().broadcast_wisdom(WEFT_ON(comm));
}

WEFT_EXPORT size WEFT_NAME(local_size_many_transposed)(int rnk, const size* n, size howmany, size block0, size block1,
                                                       WEFT_COMM comm, size* c0, size* s0, size* c1, size* s1) {
  return local_sizes(rnk, n, howmany, block0, block1, WEFT_ON(comm), c0, s0, c1, s1);
}

WEFT_EXPORT size WEFT_NAME(local_size_transposed)(int rnk, const size* n, WEFT_COMM comm, size* c0, size* s0, size* c1,
                                                  size* s1) {
  return local_sizes(rnk, n, 1, 0, 0, WEFT_ON(comm), c0, s0, c1, s1);
}

WEFT_EXPORT size WEFT_NAME(local_size_2d_transposed)(size n0, size n1, WEFT_COMM comm, size* c0, size* s0, size* c1,
                                                     size* s1) {
  const size n[] = {n0, n1};
  return local_sizes(2, n, 1, 0, 0, WEFT_ON(comm), c0, s0, c1, s1);
}

WEFT_EXPORT size WEFT_NAME(local_size_3d_transposed)(size n0, size n1, size n2, WEFT_COMM comm, size* c0, size* s0,
                                                     size* c1, size* s1) {
  const size n[] = {n0, n1, n2};
  return local_sizes(3, n, 1, 0, 0, WEFT_ON(comm), c0, s0, c1, s1);
}

WEFT_EXPORT size WEFT_NAME(local_size_many)(int rnk, const size* n, size howmany, size block0, WEFT_COMM comm, size* c0,
                                            size* s0) {
  size c1 = 0, s1 = 0;
  return local_sizes(rnk, n, howmany, block0, rnk > 1 ? n[1] : 0, WEFT_ON(comm), c0, s0, &c1, &s1);
}

WEFT_EXPORT size WEFT_NAME(local_size)(int rnk, const size* n, WEFT_COMM comm, size* c0, size* s0) {
  size c1 = 0, s1 = 0;
  return local_sizes(rnk, n, 1, 0, rnk > 1 ? n[1] : 0, WEFT_ON(comm), c0, s0, &c1, &s1);
}

WEFT_EXPORT size WEFT_NAME(local_size_2d)(size n0, size n1, WEFT_COMM comm, size* c0, size* s0) {
  size c1 = 0, s1 = 0;
  const size n[] = {n0, n1};
  return local_sizes(2, n, 1, 0, n1, WEFT_ON(comm), c0, s0, &c1, &s1);
}

WEFT_EXPORT size WEFT_NAME(local_size_3d)(size n0, size n1, size n2, WEFT_COMM comm, size* c0, size* s0) {
  size c1 = 0, s1 = 0;
  const size n[] = {n0, n1, n2};
  return local_sizes(3, n, 1, 0, n1, WEFT_ON(comm), c0, s0, &c1, &s1);
}

WEFT_EXPORT size WEFT_NAME(local_size_many_1d)(size n0, size howmany, WEFT_COMM comm, int sign, unsigned flags,
                                               size* ci, size* si, size* co, size* so) {
  return local_sizes_1d(n0, howmany, WEFT_ON(comm), sign, flags, ci, si, co, so);
}

WEFT_EXPORT size WEFT_NAME(local_size_1d)(size n0, WEFT_COMM comm, int sign, unsigned flags, size* ci, size* si,
                                          size* co, size* so) {
  return local_sizes_1d(n0, 1, WEFT_ON(comm), sign, flags, ci, si, co, so);
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_many_transpose)(size n0, size n1, size howmany, size block0, size block1,
                                                        real* in, real* out, WEFT_COMM comm, unsigned flags) {
  return plan_of(
      {kind::transpose, {n0, n1}, howmany, block0, block1, in, out, WEFT_ON(comm), FFTW_FORWARD, nullptr, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_transpose)(size n0, size n1, real* in, real* out, WEFT_COMM comm,
                                                   unsigned flags) {
  return plan_of({kind::transpose, {n0, n1}, 1, 0, 0, in, out, WEFT_ON(comm), FFTW_FORWARD, nullptr, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_many_dft)(int rnk, const size* n, size howmany, size iblock, size oblock,
                                                  cplx* in, cplx* out, WEFT_COMM comm, int sign, unsigned flags) {
  return plan_of({kind::dft, list(rnk, n), howmany, iblock, oblock, in, out, WEFT_ON(comm), sign, nullptr, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_dft)(int rnk, const size* n, cplx* in, cplx* out, WEFT_COMM comm, int sign,
                                             unsigned flags) {
  return plan_of({kind::dft, list(rnk, n), 1, 0, 0, in, out, WEFT_ON(comm), sign, nullptr, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_dft_1d)(size n0, cplx* in, cplx* out, WEFT_COMM comm, int sign,
                                                unsigned flags) {
  return plan_of({kind::dft, {n0}, 1, 0, 0, in, out, WEFT_ON(comm), sign, nullptr, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_dft_2d)(size n0, size n1, cplx* in, cplx* out, WEFT_COMM comm, int sign,
                                                unsigned flags) {
  return plan_of({kind::dft, {n0, n1}, 1, 0, 0, in, out, WEFT_ON(comm), sign, nullptr, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_dft_3d)(size n0, size n1, size n2, cplx* in, cplx* out, WEFT_COMM comm,
                                                int sign, unsigned flags) {
  return plan_of({kind::dft, {n0, n1, n2}, 1, 0, 0, in, out, WEFT_ON(comm), sign, nullptr, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_many_dft_r2c)(int rnk, const size* n, size howmany, size iblock, size oblock,
                                                      real* in, cplx* out, WEFT_COMM comm, unsigned flags) {
  return plan_of(
      {kind::r2c, list(rnk, n), howmany, iblock, oblock, in, out, WEFT_ON(comm), FFTW_FORWARD, nullptr, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_dft_r2c)(int rnk, const size* n, real* in, cplx* out, WEFT_COMM comm,
                                                 unsigned flags) {
  return plan_of({kind::r2c, list(rnk, n), 1, 0, 0, in, out, WEFT_ON(comm), FFTW_FORWARD, nullptr, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_dft_r2c_2d)(size n0, size n1, real* in, cplx* out, WEFT_COMM comm,
                                                    unsigned flags) {
  return plan_of({kind::r2c, {n0, n1}, 1, 0, 0, in, out, WEFT_ON(comm), FFTW_FORWARD, nullptr, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_dft_r2c_3d)(size n0, size n1, size n2, real* in, cplx* out, WEFT_COMM comm,
                                                    unsigned flags) {
  return plan_of({kind::r2c, {n0, n1, n2}, 1, 0, 0, in, out, WEFT_ON(comm), FFTW_FORWARD, nullptr, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_many_dft_c2r)(int rnk, const size* n, size howmany, size iblock, size oblock,
                                                      cplx* in, real* out, WEFT_COMM comm, unsigned flags) {
  return plan_of(
      {kind::c2r, list(rnk, n), howmany, iblock, oblock, in, out, WEFT_ON(comm), FFTW_FORWARD, nullptr, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_dft_c2r)(int rnk, const size* n, cplx* in, real* out, WEFT_COMM comm,
                                                 unsigned flags) {
  return plan_of({kind::c2r, list(rnk, n), 1, 0, 0, in, out, WEFT_ON(comm), FFTW_FORWARD, nullptr, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_dft_c2r_2d)(size n0, size n1, cplx* in, real* out, WEFT_COMM comm,
                                                    unsigned flags) {
  return plan_of({kind::c2r, {n0, n1}, 1, 0, 0, in, out, WEFT_ON(comm), FFTW_FORWARD, nullptr, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_dft_c2r_3d)(size n0, size n1, size n2, cplx* in, real* out, WEFT_COMM comm,
                                                    unsigned flags) {
  return plan_of({kind::c2r, {n0, n1, n2}, 1, 0, 0, in, out, WEFT_ON(comm), FFTW_FORWARD, nullptr, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_many_r2r)(int rnk, const size* n, size howmany, size iblock, size oblock,
                                                  real* in, real* out, WEFT_COMM comm, const r2r_kind* kinds,
                                                  unsigned flags) {
  return plan_of(
      {kind::r2r, list(rnk, n), howmany, iblock, oblock, in, out, WEFT_ON(comm), FFTW_FORWARD, kinds, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_r2r)(int rnk, const size* n, real* in, real* out, WEFT_COMM comm,
                                             const r2r_kind* kinds, unsigned flags) {
  return plan_of({kind::r2r, list(rnk, n), 1, 0, 0, in, out, WEFT_ON(comm), FFTW_FORWARD, kinds, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_r2r_2d)(size n0, size n1, real* in, real* out, WEFT_COMM comm, r2r_kind kind0,
                                                r2r_kind kind1, unsigned flags) {
  const r2r_kind kinds[] = {kind0, kind1};
  return plan_of({kind::r2r, {n0, n1}, 1, 0, 0, in, out, WEFT_ON(comm), FFTW_FORWARD, kinds, flags});
}

WEFT_EXPORT plan_pointer WEFT_NAME(plan_r2r_3d)(size n0, size n1, size n2, real* in, real* out, WEFT_COMM comm,
                                                r2r_kind kind0, r2r_kind kind1, r2r_kind kind2, unsigned flags) {
  const r2r_kind kinds[] = {kind0, kind1, kind2};
  return plan_of({kind::r2r, {n0, n1, n2}, 1, 0, 0, in, out, WEFT_ON(comm), FFTW_FORWARD, kinds, flags});
}
