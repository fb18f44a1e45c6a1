/* SPDX-License-Identifier: BSD-3-Clause */
/* A program as users of FFTW-MPI write it. It prints numbers, which must not depend on the library that it runs on; with
   the argument "late" it destroys plans after MPI_Finalize, which FFTW's own library does not take. */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int rank;

static void show(const char *what, const double *x, ptrdiff_t count, ptrdiff_t before) {
  double sum[2] = {0, 0};
  for (ptrdiff_t i = 0; i < count; ++i) sum[0] += x[i] * x[i] * (double)((before + i) % 11 + 1), sum[1] += fabs(x[i]);
  MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s %.10e %.10e\n", what, sum[0], sum[1]);
}

static void fill(double *x, ptrdiff_t count, ptrdiff_t before) {
  for (ptrdiff_t i = 0; i < count; ++i) x[i] = sin(0.37 * (double)(before + i)) + 0.25 * cos(1.7 * (double)(before + i));
}

int main(int argc, char **argv) {
  const ptrdiff_t n[3] = {10, 9, 8}, half[3] = {10, 9, 5}, howmany = 3;
  ptrdiff_t l0, s0, l1, s1;
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  /* several arrays, transposed, in place; there and back */
  ptrdiff_t room = fftw_mpi_local_size_many_transposed(3, n, howmany, 0, 0, MPI_COMM_WORLD, &l0, &s0, &l1, &s1);
  fftw_complex *a = fftw_alloc_complex(room);
  fftw_plan there = fftw_mpi_plan_many_dft(3, n, howmany, 0, 0, a, a, MPI_COMM_WORLD, FFTW_FORWARD,
                                           FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
  fftw_plan back = fftw_mpi_plan_many_dft(3, n, howmany, 0, 0, a, a, MPI_COMM_WORLD, FFTW_BACKWARD,
                                          FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_IN);
  fill(a[0], 2 * l0 * 72 * howmany, 2 * s0 * 72 * howmany);
  fftw_execute(there);
  show("transposed", a[0], 2 * l1 * 80 * howmany, 2 * s1 * 80 * howmany);
  fftw_mpi_execute_dft(back, a, a);
  show("back", a[0], 2 * l0 * 72 * howmany, 2 * s0 * 72 * howmany);

  /* real data, out of place, new arrays */
  room = fftw_mpi_local_size(3, half, MPI_COMM_WORLD, &l0, &s0);
  double *r = fftw_alloc_real(2 * room), *other = fftw_alloc_real(2 * room);
  fftw_complex *c = fftw_alloc_complex(room);
  fftw_plan real = fftw_mpi_plan_dft_r2c_3d(n[0], n[1], n[2], r, c, MPI_COMM_WORLD, FFTW_ESTIMATE);
  for (ptrdiff_t row = 0; row < l0 * 9; ++row) fill(other + 10 * row, 8, (s0 * 9 + row) * 8);
  fftw_mpi_execute_dft_r2c(real, other, c);
  show("real", c[0], 2 * l0 * 45, 2 * s0 * 45);

  /* what may be FFTW's own */
  fftw_plan hartley = fftw_mpi_plan_r2r_2d(12, 10, r, other, MPI_COMM_WORLD, FFTW_DHT, FFTW_DHT, FFTW_ESTIMATE);
  fftw_mpi_local_size_2d(12, 10, MPI_COMM_WORLD, &l0, &s0);
  fill(r, l0 * 10, s0 * 10);
  if (hartley != NULL) { /* there may be no FFTW-MPI to pass it on to */
    fftw_execute(hartley);
    show("hartley", other, l0 * 10, s0 * 10);
  }
  fftw_plan turn = fftw_mpi_plan_transpose(12, 10, r, other, MPI_COMM_WORLD, FFTW_ESTIMATE);
  fftw_mpi_local_size_2d(10, 12, MPI_COMM_WORLD, &l1, &s1);
  fftw_execute(turn);
  show("transpose", other, l1 * 12, s1 * 12);

  /* a serial plan beside them */
  fftw_complex s[6], t[6];
  fftw_plan serial = fftw_plan_dft_1d(6, s, t, FFTW_FORWARD, FFTW_ESTIMATE);
  fill(s[0], 12, 0);
  fftw_execute(serial);
  show("serial", t[0], 12, 0);

  fftw_destroy_plan(serial);
  fftw_destroy_plan(hartley);
  const int late = argc > 1 && strcmp(argv[1], "late") == 0;
  if (late) MPI_Finalize();
  fftw_destroy_plan(there);
  fftw_destroy_plan(turn);
  fftw_destroy_plan(real);
  fftw_destroy_plan(back);
  if (!late) {
    fftw_mpi_cleanup();
    MPI_Finalize();
  }
  fftw_free(a);
  fftw_free(r);
  fftw_free(other);
  fftw_free(c);
  return 0;
}
