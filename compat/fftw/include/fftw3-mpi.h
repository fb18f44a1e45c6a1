/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface of FFTW-MPI 3.3, for programs that are compiled to run on Weft where FFTW's own header is not installed.
   It declares what FFTW's fftw3-mpi.h declares; libfftw3_mpi and libfftw3f_mpi of this folder define it for double and
   float. fftw3.h is FFTW's own: plans, planner flags and serial transforms are FFTW's. */
#ifndef FFTW3_MPI_H
#define FFTW3_MPI_H

#include <fftw3.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All functions of one precision. M(name) is the name of an MPI function, X(name) of a serial type; R and C are types.
   NOLINTBEGIN(bugprone-macro-parentheses) */
#define WEFT_FFTW_MPI_API(M, X, R, C)                                                                                  \
  void M(init)(void);                                                                                                  \
  void M(cleanup)(void);                                                                                               \
  void M(gather_wisdom)(MPI_Comm);                                                                                     \
  void M(broadcast_wisdom)(MPI_Comm);                                                                                  \
                                                                                                                       \
  ptrdiff_t M(local_size)(int rnk, const ptrdiff_t *n, MPI_Comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start);       \
  ptrdiff_t M(local_size_2d)(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start);     \
  ptrdiff_t M(local_size_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm, ptrdiff_t *local_n0,                  \
                             ptrdiff_t *local_0_start);                                                                \
  ptrdiff_t M(local_size_many)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block0, MPI_Comm,             \
                               ptrdiff_t *local_n0, ptrdiff_t *local_0_start);                                         \
  ptrdiff_t M(local_size_transposed)(int rnk, const ptrdiff_t *n, MPI_Comm, ptrdiff_t *local_n0,                       \
                                     ptrdiff_t *local_0_start, ptrdiff_t *local_n1, ptrdiff_t *local_1_start);         \
  ptrdiff_t M(local_size_2d_transposed)(ptrdiff_t n0, ptrdiff_t n1, MPI_Comm, ptrdiff_t *local_n0,                     \
                                        ptrdiff_t *local_0_start, ptrdiff_t *local_n1, ptrdiff_t *local_1_start);      \
  ptrdiff_t M(local_size_3d_transposed)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, MPI_Comm, ptrdiff_t *local_n0,       \
                                        ptrdiff_t *local_0_start, ptrdiff_t *local_n1, ptrdiff_t *local_1_start);      \
  ptrdiff_t M(local_size_many_transposed)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block0,            \
                                          ptrdiff_t block1, MPI_Comm, ptrdiff_t *local_n0, ptrdiff_t *local_0_start,   \
                                          ptrdiff_t *local_n1, ptrdiff_t *local_1_start);                              \
  ptrdiff_t M(local_size_1d)(ptrdiff_t n0, MPI_Comm, int sign, unsigned flags, ptrdiff_t *local_ni,                    \
                             ptrdiff_t *local_i_start, ptrdiff_t *local_no, ptrdiff_t *local_o_start);                 \
  ptrdiff_t M(local_size_many_1d)(ptrdiff_t n0, ptrdiff_t howmany, MPI_Comm, int sign, unsigned flags,                 \
                                  ptrdiff_t *local_ni, ptrdiff_t *local_i_start, ptrdiff_t *local_no,                  \
                                  ptrdiff_t *local_o_start);                                                           \
                                                                                                                       \
  X(plan) M(plan_transpose)(ptrdiff_t n0, ptrdiff_t n1, R *in, R *out, MPI_Comm, unsigned flags);                      \
  X(plan) M(plan_many_transpose)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t howmany, ptrdiff_t block0, ptrdiff_t block1,    \
                                 R *in, R *out, MPI_Comm, unsigned flags);                                             \
                                                                                                                       \
  X(plan) M(plan_dft)(int rnk, const ptrdiff_t *n, C *in, C *out, MPI_Comm, int sign, unsigned flags);                 \
  X(plan) M(plan_dft_1d)(ptrdiff_t n0, C *in, C *out, MPI_Comm, int sign, unsigned flags);                             \
  X(plan) M(plan_dft_2d)(ptrdiff_t n0, ptrdiff_t n1, C *in, C *out, MPI_Comm, int sign, unsigned flags);               \
  X(plan) M(plan_dft_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, C *in, C *out, MPI_Comm, int sign, unsigned flags); \
  X(plan) M(plan_many_dft)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t block, ptrdiff_t tblock, C *in,   \
                           C *out, MPI_Comm, int sign, unsigned flags);                                                \
                                                                                                                       \
  X(plan) M(plan_r2r)(int rnk, const ptrdiff_t *n, R *in, R *out, MPI_Comm, const X(r2r_kind) *, unsigned flags);      \
  X(plan) M(plan_r2r_2d)(ptrdiff_t n0, ptrdiff_t n1, R *in, R *out, MPI_Comm, X(r2r_kind), X(r2r_kind),                \
                         unsigned flags);                                                                              \
  X(plan) M(plan_r2r_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, R *in, R *out, MPI_Comm, X(r2r_kind), X(r2r_kind),  \
                         X(r2r_kind), unsigned flags);                                                                 \
  X(plan) M(plan_many_r2r)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock, R *in,  \
                           R *out, MPI_Comm, const X(r2r_kind) *, unsigned flags);                                     \
                                                                                                                       \
  X(plan) M(plan_dft_r2c)(int rnk, const ptrdiff_t *n, R *in, C *out, MPI_Comm, unsigned flags);                       \
  X(plan) M(plan_dft_r2c_2d)(ptrdiff_t n0, ptrdiff_t n1, R *in, C *out, MPI_Comm, unsigned flags);                     \
  X(plan) M(plan_dft_r2c_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, R *in, C *out, MPI_Comm, unsigned flags);       \
  X(plan) M(plan_many_dft_r2c)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock,     \
                               R *in, C *out, MPI_Comm, unsigned flags);                                               \
                                                                                                                       \
  X(plan) M(plan_dft_c2r)(int rnk, const ptrdiff_t *n, C *in, R *out, MPI_Comm, unsigned flags);                       \
  X(plan) M(plan_dft_c2r_2d)(ptrdiff_t n0, ptrdiff_t n1, C *in, R *out, MPI_Comm, unsigned flags);                     \
  X(plan) M(plan_dft_c2r_3d)(ptrdiff_t n0, ptrdiff_t n1, ptrdiff_t n2, C *in, R *out, MPI_Comm, unsigned flags);       \
  X(plan) M(plan_many_dft_c2r)(int rnk, const ptrdiff_t *n, ptrdiff_t howmany, ptrdiff_t iblock, ptrdiff_t oblock,     \
                               C *in, R *out, MPI_Comm, unsigned flags);                                               \
                                                                                                                       \
  void M(execute_dft)(X(plan), C *in, C *out);                                                                         \
  void M(execute_dft_r2c)(X(plan), R *in, C *out);                                                                     \
  void M(execute_dft_c2r)(X(plan), C *in, R *out);                                                                     \
  void M(execute_r2r)(X(plan), R *in, R *out);
/* NOLINTEND(bugprone-macro-parentheses) */

#define FFTW_MPI_MANGLE_DOUBLE(name) FFTW_MANGLE_DOUBLE(FFTW_CONCAT(mpi_, name))
#define FFTW_MPI_MANGLE_FLOAT(name) FFTW_MANGLE_FLOAT(FFTW_CONCAT(mpi_, name))
#define FFTW_MPI_MANGLE_LONG_DOUBLE(name) FFTW_MANGLE_LONG_DOUBLE(FFTW_CONCAT(mpi_, name))

WEFT_FFTW_MPI_API(FFTW_MPI_MANGLE_DOUBLE, FFTW_MANGLE_DOUBLE, double, fftw_complex)
WEFT_FFTW_MPI_API(FFTW_MPI_MANGLE_FLOAT, FFTW_MANGLE_FLOAT, float, fftwf_complex)
/* not on Weft: FFTW's libfftw3l_mpi has these */
WEFT_FFTW_MPI_API(FFTW_MPI_MANGLE_LONG_DOUBLE, FFTW_MANGLE_LONG_DOUBLE, long double, fftwl_complex)

#define FFTW_MPI_DEFAULT_BLOCK (0)

#define FFTW_MPI_SCRAMBLED_IN (1U << 27)
#define FFTW_MPI_SCRAMBLED_OUT (1U << 28)
#define FFTW_MPI_TRANSPOSED_IN (1U << 29)
#define FFTW_MPI_TRANSPOSED_OUT (1U << 30)

#ifdef __cplusplus
}
#endif

#endif
