/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms ones, and is told of an error. */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

#include <weft/weft.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int64_t shape[2] = {12, 10}, zero[2] = {0, 0};
  weft_plan *plan = NULL, *none = NULL;
  weft_options* options = NULL;
  weft_array *x = NULL, *modes = NULL;
  int rank = 0, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  wrong += weft_plan_create(2, shape, WEFT_R2C, WEFT_F64, MPI_COMM_WORLD, NULL, &plan) != WEFT_OK;
  wrong += weft_array_create(plan, WEFT_INPUT, &x) != WEFT_OK;
  wrong += weft_array_create(plan, WEFT_OUTPUT, &modes) != WEFT_OK;
  for (int64_t k = 0; k < weft_array_size(x); ++k) ((double*)weft_array_data(x))[k] = 1;
  wrong += weft_plan_forward(plan, weft_array_data(x), weft_array_data(modes)) != WEFT_OK;
  const double complex* mean = weft_array_at(modes, zero, 0);
  wrong += mean != NULL && cabs(*mean - 120) > 1e-10;
  wrong += weft_options_create(&options) != WEFT_OK;
  wrong += weft_options_set(options, "algorithm", "slap") != WEFT_OK;
  wrong += weft_plan_create(2, shape, WEFT_R2C, WEFT_F64, MPI_COMM_WORLD, options, &none) != WEFT_UNKNOWN_NAME;
  weft_array_destroy(x);
  weft_array_destroy(modes);
  weft_options_destroy(options);
  weft_plan_destroy(plan);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s, version %s\n", wrong == 0 ? "ok" : "wrong", weft_version());
  MPI_Finalize();
  return wrong != 0;
}
