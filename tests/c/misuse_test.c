/* SPDX-License-Identifier: BSD-3-Clause */
/* What no program should do, by class: handles that were destroyed, arrays that overlap, arrays that no machine has,
 * communicators that were freed. Each is an error with a text on all ranks, and Weft works afterwards. */
#include <stdlib.h>

#include <weft/weft.h>

#include "check.h"

static const int64_t shape[3] = {16, 12, 10};
static int rank, ranks;

static int on_last(void) { return rank == ranks - 1; }

static weft_plan* a_plan(void) {
  weft_plan* plan = NULL;
  OK(weft_plan_create(3, shape, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, NULL, &plan));
  return plan;
}

static void test_destroyed_plans(void) {
  weft_plan* plan = a_plan();
  weft_array *x = NULL, *y = NULL;
  weft_started* run = NULL;
  OK(weft_array_create(plan, WEFT_INPUT, &x));
  OK(weft_array_create(plan, WEFT_OUTPUT, &y));
  void *in = weft_array_data(x), *out = weft_array_data(y);
  OK(weft_plan_start_forward(plan, in, out, &run));
  weft_plan_destroy(plan); /* while a run is under way, which keeps what it needs */
  FAILS(WEFT_BAD_ARGUMENT, weft_plan_forward(plan, in, out));
  int64_t number = 0;
  char* text = NULL;
  FAILS(WEFT_BAD_ARGUMENT, weft_plan_number(plan, "axes", &number));
  FAILS(WEFT_BAD_ARGUMENT, weft_plan_text(plan, "schedule", &text));
  weft_plan_destroy(plan);
  OK(weft_started_wait(run));
  OK(weft_started_wait(run));
  weft_started_destroy(run);
  weft_started_destroy(run);
  FAILS(WEFT_BAD_ARGUMENT, weft_started_wait(run));
  weft_array_destroy(x);
  weft_array_destroy(x);
  CHECK(weft_array_data(x) == NULL && weft_array_size(x) == 0 && weft_array_at(x, shape, 0) == NULL);
  FAILS(WEFT_BAD_ARGUMENT, weft_array_number(x, "axes", &number));
  FAILS(WEFT_BAD_ARGUMENT, weft_gather(on_last() ? x : y, MPI_COMM_WORLD, 0, NULL, 0));
  weft_array_destroy(y);
}

static void test_numbers_of_axes(void) {
  weft_plan* plan = NULL;
  weft_distribution* how = NULL;
  FAILS(WEFT_BAD_ARGUMENT, weft_plan_create(1000, shape, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, NULL, &plan));
  FAILS(WEFT_BAD_ARGUMENT,
        weft_plan_create(on_last() ? 1000 : 3, shape, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, NULL, &plan));
  FAILS(WEFT_BAD_ARGUMENT, weft_plan_create(-1, shape, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, NULL, &plan));
  FAILS(WEFT_BAD_ARGUMENT, weft_distribution_parse("[b0]", 1000, shape, ranks, &how));
  CHECK(plan == NULL && how == NULL);
}

static void test_destroyed_values(void) {
  weft_options* options = NULL;
  OK(weft_options_create(&options));
  weft_options_destroy(options);
  weft_options_destroy(options);
  weft_plan* plan = NULL;
  FAILS(WEFT_BAD_ARGUMENT, weft_options_set(options, "threads", "1"));
  FAILS(WEFT_BAD_ARGUMENT, weft_plan_create(3, shape, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, options, &plan));
  FAILS(WEFT_BAD_ARGUMENT,
        weft_plan_create(3, shape, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, on_last() ? options : NULL, &plan));
  CHECK(plan == NULL);
  weft_distribution *from = NULL, *to = NULL;
  OK(weft_distribution_parse("[b0 * *]", 3, shape, ranks, &from));
  OK(weft_distribution_parse("[* b0 *]", 3, shape, ranks, &to));
  weft_redistribution* move = NULL;
  FAILS(WEFT_BAD_ARGUMENT, weft_redistribution_create(from, to, 8, MPI_COMM_WORLD, options, &move));
  weft_distribution_destroy(to);
  weft_distribution_destroy(to);
  FAILS(WEFT_BAD_ARGUMENT, weft_redistribution_create(from, to, 8, MPI_COMM_WORLD, NULL, &move));
  int axes = 0;
  FAILS(WEFT_BAD_ARGUMENT, weft_distribution_axes(to, &axes));
  weft_distribution_destroy(from);
}

static void test_arrays_that_overlap(void) {
  weft_plan* plan = a_plan();
  int64_t in_count = 0, out_count = 0;
  size_t bytes = 0;
  OK(weft_plan_elements(plan, WEFT_INPUT, &in_count, &bytes));
  OK(weft_plan_elements(plan, WEFT_OUTPUT, &out_count, &bytes));
  char* memory = calloc((size_t)(in_count + out_count), bytes);
  char* behind = memory + (size_t)in_count * bytes;
  FAILS(WEFT_BAD_BUFFER, weft_plan_forward(plan, memory, on_last() ? memory + bytes : behind));
  FAILS(WEFT_BAD_BUFFER, weft_plan_forward(plan, on_last() ? memory + bytes : memory, behind));
  FAILS(WEFT_BAD_BUFFER, weft_plan_backward(plan, behind, on_last() ? behind - bytes : memory));
  OK(weft_plan_forward(plan, memory, behind));
  free(memory);
  weft_plan_destroy(plan);
}

static void test_what_no_machine_has(void) {
  const int64_t large[3] = {1LL << 21, 1LL << 21, 1LL << 10}, largest[3] = {1LL << 31, 1LL << 31, 1};
  weft_plan* plan = NULL;
  FAILS(WEFT_BAD_BUFFER, weft_plan_create(3, large, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, NULL, &plan));
  FAILS(WEFT_BAD_ARGUMENT, weft_plan_create(3, largest, WEFT_R2C, WEFT_F32, MPI_COMM_WORLD, NULL, &plan));
}

/* With MPIs whose handles are pointers; others notice it themselves, and end the program. */
static void test_freed_communicators(void) {
  if (sizeof(MPI_Comm) != sizeof(void*)) return;
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const MPI_Comm freed = copy;
  MPI_Comm_free(&copy);
  weft_plan* plan = NULL;
  FAILS(WEFT_BAD_ARGUMENT, weft_plan_create(3, shape, WEFT_C2C, WEFT_F64, freed, NULL, &plan));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  test_destroyed_plans();
  test_numbers_of_axes();
  test_destroyed_values();
  test_arrays_that_overlap();
  test_what_no_machine_has();
  test_freed_communicators();
  weft_plan_destroy(a_plan());
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks: %d wrong\n", ranks, wrong);
  MPI_Finalize();
  return wrong != 0;
}
