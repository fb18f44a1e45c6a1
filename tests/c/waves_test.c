/* SPDX-License-Identifier: BSD-3-Clause */
/* Plane waves and arenas through weft.h. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include <weft/weft.h>

#include "check.h"

static const int64_t shape[3] = {6, 5, 8};
static const double radii[3] = {2, 2, 3};
static int rank, ranks;

static double complex coefficient(const int64_t* k, int64_t band) {
  return (double)(k[0] + 2 * k[1] - k[2] + 5 * band) + I * (double)(k[0] * k[2] - k[1]);
}

/* By adding up all waves of the ellipsoid. */
static void check_sum(const int64_t* x, void* element, int64_t band, void* user) {
  (void)user;
  const double pi = acos(-1.0);
  double complex sum = 0;
  for (int64_t a = -2; a <= 2; ++a) {
    for (int64_t b = -2; b <= 2; ++b) {
      for (int64_t c = -3; c <= 3; ++c) {
        const int64_t k[3] = {a, b, c};
        double within = 0, angle = 0;
        for (int l = 0; l < 3; ++l) {
          within += (double)(k[l] * k[l]) / (radii[l] * radii[l]);
          angle += (double)(k[l] * x[l]) / (double)shape[l];
        }
        if (within <= 1 + 1e-9) sum += coefficient(k, band) * cexp(2 * pi * I * angle);
      }
    }
  }
  CHECK(cabs(*(double complex*)element - sum) < 1e-10);
}

static void test_plane_waves(void) {
  weft_plane_waves *waves = NULL, *none = NULL;
  weft_array* field = NULL;
  int64_t count = 0, all = 0, columns = 0;
  OK(weft_plane_waves_create(shape, radii, 2, WEFT_F64, MPI_COMM_WORLD, NULL, &waves));
  OK(weft_plane_waves_number(waves, "waves", &count));
  OK(weft_plane_waves_number(waves, "coefficients", &all));
  OK(weft_plane_waves_number(waves, "columns", &columns));
  CHECK(all == 2 * count && columns == 13); /* pairs in a circle of radius 2 */
  FAILS(WEFT_UNKNOWN_NAME, weft_plane_waves_number(waves, "spheres", &all));
  int64_t* k = malloc(sizeof(int64_t) * 3 * (size_t)(count + 1));
  double complex* c = calloc((size_t)(2 * count + 1), sizeof(double complex));
  OK(weft_plane_waves_numbers(waves, k));
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t i = 0; i < count; ++i) c[b * count + i] = coefficient(k + 3 * i, b);
  }
  OK(weft_plane_waves_field(waves, &field));
  OK(weft_plane_waves_to_field(waves, c, field));
  OK(weft_array_for_each(field, check_sum, NULL));
  for (int64_t i = 0; i < 2 * count; ++i) c[i] = 0;
  OK(weft_plane_waves_to_waves(waves, field, c));
  for (int64_t i = 0; i < 2 * count; ++i) CHECK(cabs(c[i] - coefficient(k + 3 * (i % count), i / count)) < 1e-12);

  FAILS(WEFT_BAD_BUFFER, weft_plane_waves_to_field(waves, rank == 0 ? NULL : c, field)); /* rank 0 has some */
  FAILS(WEFT_BAD_ARGUMENT, weft_plane_waves_to_waves(waves, rank == ranks - 1 ? NULL : field, c));
  const double wide[3] = {2, 2, 30};
  FAILS(WEFT_BAD_ARGUMENT, weft_plane_waves_create(shape, wide, 1, WEFT_F64, MPI_COMM_WORLD, NULL, &none));
  FAILS(WEFT_BAD_ARGUMENT, weft_plane_waves_create(shape, NULL, 1, WEFT_F64, MPI_COMM_WORLD, NULL, &none));
  weft_plane_waves_destroy(waves);
  weft_plane_waves_destroy(none);
  weft_array_destroy(field);
  free(k);
  free(c);
}

/* Two plans that work in one place; then in memory of the caller's, which is too small once. */
static void test_arenas(void) {
  weft_arena *growing = NULL, *given = NULL;
  weft_options* options = NULL;
  weft_plan* plans[2] = {NULL, NULL};
  size_t bytes = 0;
  int64_t needed = 0, most = 0;
  OK(weft_arena_create(&growing));
  OK(weft_options_create(&options));
  OK(weft_options_set(options, "exchange", "p2p"));
  OK(weft_options_set(options, "out", "same"));
  OK(weft_options_set(options, "idle_ranks", "false"));
  OK(weft_options_set_workspace(options, growing));
  const int64_t other[3] = {12, 10, 8};
  OK(weft_plan_create(3, shape, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, options, &plans[0]));
  OK(weft_plan_create(3, other, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, options, &plans[1]));
  OK(weft_arena_bytes(growing, &bytes));
  for (int p = 0; p < 2; ++p) {
    OK(weft_plan_number(plans[p], "workspace_bytes", &needed));
    if (needed > most) most = needed;
    weft_plan_destroy(plans[p]);
    plans[p] = NULL;
  }
  CHECK((int64_t)bytes == most); /* and not the sum */
  long long room = (long long)bytes;
  MPI_Allreduce(MPI_IN_PLACE, &room, 1, MPI_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
  bytes = (size_t)room + 64; /* memory that is given may begin anywhere */

  char* memory = malloc(bytes + 1);
  OK(weft_arena_over(memory, bytes, &given));
  OK(weft_options_set_workspace(options, given));
  OK(weft_plan_create(3, other, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, options, &plans[0]));
  weft_arena_destroy(given); /* the plan keeps it */
  weft_array *x = NULL, *y = NULL;
  const int64_t zero[3] = {0, 0, 0};
  OK(weft_array_create(plans[0], WEFT_INPUT, &x));
  OK(weft_array_create(plans[0], WEFT_OUTPUT, &y));
  double complex* one = weft_array_at(x, zero, 0);
  if (one != NULL) *one = 1;
  OK(weft_plan_forward(plans[0], weft_array_data(x), weft_array_data(y)));
  const double complex* modes = weft_array_data(y);
  for (int64_t i = 0; i < weft_array_size(y); ++i) CHECK(cabs(modes[i] - 1) < 1e-12);
  if (ranks > 1) {
    CHECK(room > 0);
    given = NULL;
    OK(weft_arena_over(rank == 0 ? NULL : memory, rank == 0 ? 0 : bytes, &given));
    OK(weft_options_set_workspace(options, given));
    FAILS(WEFT_BAD_BUFFER, weft_plan_create(3, other, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, options, &plans[1]));
    weft_arena_destroy(given);
  }
  FAILS(WEFT_BAD_ARGUMENT, weft_arena_over(NULL, 8, &given));
  OK(weft_options_set_workspace(options, NULL));
  weft_array_destroy(x);
  weft_array_destroy(y);
  weft_plan_destroy(plans[0]);
  weft_options_destroy(options);
  weft_arena_destroy(growing);
  free(memory);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  test_plane_waves();
  test_arenas();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks: %d wrong\n", ranks, wrong);
  MPI_Finalize();
  return wrong != 0;
}
