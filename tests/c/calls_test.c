/* SPDX-License-Identifier: BSD-3-Clause */
/* Every call of weft.h apart from what vectors_test.c does: values, errors on all ranks, texts. */
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "check.h"

static const int64_t shape[3] = {6, 5, 4};
static int rank, ranks;

/* The text is read after the call. */
static int holds(int code, char** text, const char* part) {
  const int found = code == WEFT_OK && strstr(*text, part) != NULL;
  if (code == WEFT_OK) weft_free(*text);
  return found;
}

static void test_names(void) {
  char* text = NULL;
  CHECK(strcmp(weft_version(), "0.1") >= 0);
  CHECK(holds(weft_names("algorithms", &text), &text, "slab"));
  CHECK(holds(weft_names("exchanges", &text), &text, "alltoallv"));
  CHECK(holds(weft_names("locals", &text), &text, "weft"));
  FAILS(WEFT_UNKNOWN_NAME, weft_names("colours", &text));
  FAILS(WEFT_BAD_ARGUMENT, weft_names("locals", NULL));
}

static void test_options(void) {
  weft_options* options = NULL;
  char *names = NULL, *value = NULL;
  OK(weft_options_create(&options));
  OK(weft_names("options", &names));
  int count = 0;
  for (char* name = strtok(names, ","); name != NULL; name = strtok(NULL, ",")) {
    OK(weft_options_get(options, name, &value)); /* what an option gives, it takes */
    OK(weft_options_set(options, name, value));
    weft_free(value);
    ++count;
  }
  weft_free(names);
  CHECK(count >= 20);
  OK(weft_options_set(options, "threads", "3"));
  CHECK(holds(weft_options_get(options, "threads", &value), &value, "3"));
  OK(weft_options_set(options, "scaling", "ortho"));
  CHECK(holds(weft_options_get(options, "scaling", &value), &value, "ortho"));
  OK(weft_options_set(options, "planning_seconds", "0.25"));
  CHECK(holds(weft_options_get(options, "planning_seconds", &value), &value, "0.25"));
  OK(weft_options_set(options, "input_box", "0:8,4:12"));
  CHECK(holds(weft_options_get(options, "input_box", &value), &value, "0:8,4:12"));
  FAILS(WEFT_BAD_ARGUMENT, weft_options_set(options, "output_box", "0:8,4"));
  FAILS(WEFT_UNKNOWN_NAME, weft_options_set(options, "thread", "3"));
  CHECK(strstr(weft_last_error(), "threads") != NULL);
  FAILS(WEFT_BAD_ARGUMENT, weft_options_set(options, "threads", "three"));
  FAILS(WEFT_BAD_ARGUMENT, weft_options_set(options, "in_place", "perhaps"));
  FAILS(WEFT_UNKNOWN_NAME, weft_options_set(options, "planning", "hasty"));
  FAILS(WEFT_BAD_ARGUMENT, weft_options_set(NULL, "threads", "3"));
  FAILS(WEFT_BAD_ARGUMENT, weft_options_set(options, "threads", NULL));
  FAILS(WEFT_UNKNOWN_NAME, weft_options_set_layout(options, "both", 0, NULL, 0));
  weft_options_destroy(options);
  weft_options_destroy(NULL);
}

static void test_distributions(void) {
  weft_distribution *cyclic = NULL, *blocks = NULL, *boxes = NULL, *none = NULL;
  int axes = 0, owner = -1, used = 0, is_box = -1, same = -1;
  int64_t local[3], elements = 0, indices[6] = {0}, low[6], high[6], got[3];
  char* text = NULL;
  OK(weft_distribution_parse("[c0 * *]", 3, shape, 2, &cyclic));
  OK(weft_distribution_axes(cyclic, &axes));
  CHECK(axes == 3);
  OK(weft_distribution_shape(cyclic, got));
  CHECK(got[0] == 6 && got[1] == 5 && got[2] == 4);
  OK(weft_distribution_ranks(cyclic, &used));
  CHECK(used == 2);
  OK(weft_distribution_local_shape(cyclic, 1, local));
  CHECK(local[0] == 3 && local[1] == 5 && local[2] == 4);
  OK(weft_distribution_local_size(cyclic, 1, &elements));
  CHECK(elements == 60);
  OK(weft_distribution_indices(cyclic, 1, 0, indices));
  CHECK(indices[0] == 1 && indices[1] == 3 && indices[2] == 5);
  OK(weft_distribution_box(cyclic, 1, low, high, &is_box));
  CHECK(is_box == 0);
  const int64_t index[3] = {3, 2, 1};
  OK(weft_distribution_owner(cyclic, index, &owner));
  CHECK(owner == 1);
  OK(weft_distribution_position(cyclic, index, got));
  CHECK(got[0] == 1 && got[1] == 2 && got[2] == 1);
  CHECK(holds(weft_distribution_text(cyclic, &text), &text, "[c0 * *]@2"));

  OK(weft_distribution_parse("[b0 * b1]@3x2", 3, shape, 2, &blocks));
  OK(weft_distribution_box(blocks, 3, low, high, &is_box));
  CHECK(is_box == 1 && low[0] == 2 && high[0] == 4 && low[1] == 0 && high[1] == 5 && low[2] == 2 && high[2] == 4);
  const int64_t halves_low[6] = {0, 0, 0, 3, 0, 0}, halves_high[6] = {3, 5, 4, 6, 5, 4};
  OK(weft_distribution_bricks(3, shape, 2, halves_low, halves_high, &boxes));
  weft_distribution_destroy(blocks);
  OK(weft_distribution_parse("[b0 * *]", 3, shape, 2, &blocks));
  OK(weft_distribution_same(boxes, blocks, 2, &same));
  CHECK(same == 1);
  OK(weft_distribution_same(boxes, cyclic, 2, &same));
  CHECK(same == 0);
  weft_distribution_destroy(boxes);
  const int64_t longer[3] = {6, 5, 3};
  OK(weft_distribution_with_shape(cyclic, 3, longer, &boxes));
  OK(weft_distribution_local_size(boxes, 0, &elements));
  CHECK(elements == 45);

  const int64_t gap_high[6] = {2, 5, 4, 6, 5, 4}, outside[3] = {6, 0, 0};
  FAILS(WEFT_BAD_DISTRIBUTION, weft_distribution_bricks(3, shape, 2, halves_low, gap_high, &none));
  CHECK(none == NULL);
  CHECK(weft_distribution_parse("[q0 * *]", 3, shape, 2, &none) != WEFT_OK);
  FAILS(WEFT_BAD_ARGUMENT, weft_distribution_owner(cyclic, outside, &owner));
  FAILS(WEFT_BAD_ARGUMENT, weft_distribution_owner(cyclic, NULL, &owner));
  FAILS(WEFT_BAD_ARGUMENT, weft_distribution_local_size(cyclic, -1, &elements));
  FAILS(WEFT_BAD_ARGUMENT, weft_distribution_axes(NULL, &axes));
  weft_distribution_destroy(boxes);
  weft_distribution_destroy(blocks);
  weft_distribution_destroy(cyclic);
}

static void number_by_index(const int64_t* index, void* element, int64_t component, void* user) {
  (void)user;
  *(int64_t*)element = ((component * 6 + index[0]) * 5 + index[1]) * 4 + index[2];
}

static void check_by_index(const int64_t* index, void* element, int64_t component, void* user) {
  (void)user;
  CHECK(*(int64_t*)element == ((component * 6 + index[0]) * 5 + index[1]) * 4 + index[2]);
}

static void test_redistribution(void) {
  weft_distribution *from = NULL, *to = NULL;
  weft_array *a = NULL, *b = NULL;
  weft_redistribution* move = NULL;
  weft_options* options = NULL;
  int64_t bytes = -1;
  OK(weft_distribution_parse("[b0 * *]", 3, shape, ranks, &from));
  OK(weft_distribution_parse("[* c0 *]", 3, shape, ranks, &to));
  OK(weft_array_create_as(from, rank, 1, sizeof(int64_t), &a));
  OK(weft_array_create_as(to, rank, 1, sizeof(int64_t), &b));
  OK(weft_array_for_each(a, number_by_index, NULL));
  OK(weft_redistribution_create(from, to, sizeof(int64_t), MPI_COMM_WORLD, NULL, &move));
  OK(weft_redistribution_run(move, weft_array_data(a), weft_array_data(b)));
  OK(weft_array_for_each(b, check_by_index, NULL));
  OK(weft_redistribution_number(move, "bytes", &bytes));
  CHECK(bytes >= 0 && (ranks > 1 || bytes == 0));
  FAILS(WEFT_UNKNOWN_NAME, weft_redistribution_number(move, "colour", &bytes));
  const int64_t index[3] = {2, 3, 1};
  int owner = -1;
  OK(weft_distribution_owner(to, index, &owner));
  const int64_t* element = weft_array_at(b, index, 0);
  CHECK((element != NULL) == (owner == rank));
  CHECK(element == NULL || *element == (2 * 5 + 3) * 4 + 1);
  int64_t indices[5], local[3], strides[3], offset = -1;
  OK(weft_array_local_shape(b, local));
  OK(weft_array_indices(b, 1, indices));
  CHECK(local[1] == 0 || indices[0] == rank);
  OK(weft_array_layout(b, strides, &offset));
  CHECK(offset == 0 && strides[2] == 1);
  int64_t number = 0;
  weft_distribution* again = NULL;
  int same = 0;
  OK(weft_array_number(b, "element_bytes", &number));
  CHECK(number == sizeof(int64_t));
  OK(weft_array_number(b, "rank", &number));
  CHECK(number == rank);
  FAILS(WEFT_UNKNOWN_NAME, weft_array_number(b, "colour", &number));
  OK(weft_array_distribution(b, &again));
  OK(weft_distribution_same(again, to, ranks, &same));
  CHECK(same == 1);
  weft_distribution_destroy(again);
  weft_redistribution_destroy(move);

  /* one rank alone is wrong: all fail alike */
  move = NULL;
  FAILS(WEFT_BAD_ARGUMENT,
        weft_redistribution_create(rank == ranks - 1 ? NULL : from, to, sizeof(int64_t), MPI_COMM_WORLD, NULL, &move));
  OK(weft_options_create(&options));
  OK(weft_options_set(options, "exchange", "telepathy"));
  FAILS(WEFT_UNKNOWN_NAME, weft_redistribution_create(from, to, 8, MPI_COMM_WORLD, options, &move));
  CHECK(move == NULL);
  weft_options_destroy(options);
  weft_array_destroy(a);
  weft_array_destroy(b);
  weft_distribution_destroy(from);
  weft_distribution_destroy(to);
}

static void fill_ones(const int64_t* index, void* element, int64_t component, void* user) {
  (void)index, (void)component, (void)user;
  *(double complex*)element = 1;
}

/* With ghost cells, an exact distribution, a scale, and all that a plan tells. */
static void test_plan(void) {
  weft_options* options = NULL;
  weft_distribution *how = NULL, *got = NULL;
  weft_plan* plan = NULL;
  weft_array *x = NULL, *modes = NULL;
  int64_t mine[3], strides[3], offset = 0, elements = 0, number = -1;
  const int64_t one[3] = {1, 1, 1};
  size_t bytes = 0;
  char* text = NULL;
  OK(weft_distribution_parse("[b0 * *]", 3, shape, ranks, &how));
  OK(weft_distribution_local_shape(how, rank, mine));
  OK(weft_options_create(&options));
  OK(weft_options_set_distribution(options, "in", how));
  OK(weft_options_set_ghosts(options, "in", 3, mine, one, one));
  OK(weft_options_set(options, "out", "same"));
  OK(weft_options_set(options, "scaling", "forward"));
  OK(weft_plan_create(3, shape, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, options, &plan));
  OK(weft_plan_distribution(plan, WEFT_OUTPUT, &got));
  int same = 0;
  OK(weft_distribution_same(how, got, ranks, &same));
  CHECK(same == 1);
  OK(weft_plan_layout(plan, WEFT_INPUT, strides, &offset));
  CHECK(mine[0] == 0 || (strides[0] == 42 && strides[1] == 6 && strides[2] == 1 && offset == 42 + 6 + 1));
  OK(weft_plan_elements(plan, WEFT_OUTPUT, &elements, &bytes));
  CHECK(elements == mine[0] * 20 && bytes == sizeof(double complex));
  OK(weft_array_create(plan, WEFT_INPUT, &x));
  OK(weft_array_create(plan, WEFT_OUTPUT, &modes));
  OK(weft_array_for_each(x, fill_ones, NULL));
  OK(weft_plan_record_timeline(plan, 1));
  OK(weft_plan_forward(plan, weft_array_data(x), weft_array_data(modes)));
  OK(weft_plan_record_timeline(plan, 0));
  const int64_t zero[3] = {0, 0, 0};
  const double complex* constant = weft_array_at(modes, zero, 0);
  CHECK(constant == NULL || cabs(*constant - 1) < 1e-14);
  if (mine[0] > 0) CHECK(((double complex*)weft_array_data(x))[0] == 0); /* a ghost cell */

  int64_t entries = 0;
  weft_timeline_entry entry;
  OK(weft_plan_timeline(plan, 1, &entry, &entries));
  CHECK(entries > 0 && entry.direction == WEFT_FORWARD && entry.call == 0 && entry.end >= entry.begin);
  int stages = 0;
  double seconds = -1;
  OK(weft_plan_stages(plan, &stages));
  OK(weft_plan_stage(plan, stages - 1, &text, &seconds));
  CHECK(stages > 0 && strlen(text) > 0 && seconds >= 0);
  weft_free(text);
  FAILS(WEFT_BAD_ARGUMENT, weft_plan_stage(plan, stages, NULL, NULL));
  OK(weft_plan_reset_stages(plan));
  OK(weft_plan_stage(plan, 0, NULL, &seconds));
  CHECK(seconds == 0);
  OK(weft_plan_number(plan, "axes", &number));
  CHECK(number == 3);
  OK(weft_plan_number(plan, "rank", &number));
  CHECK(number == rank);
  OK(weft_plan_number(plan, "exchanges", &number));
  CHECK(number == (ranks > 1 ? 2 : 0));
  FAILS(WEFT_UNKNOWN_NAME, weft_plan_number(plan, "colour", &number));
  CHECK(holds(weft_plan_text(plan, "schedule", &text), &text, "forward 6x5x4"));
  CHECK(holds(weft_plan_text(plan, "explanation", &text), &text, "chosen"));
  FAILS(WEFT_UNKNOWN_NAME, weft_plan_text(plan, "colour", &text));

  /* the last rank's array is too small, all ranks hear of it, and the plan still works */
  FAILS(WEFT_BAD_BUFFER, weft_plan_forward_bytes(plan, weft_array_data(x), (size_t)1 << 20, weft_array_data(modes),
                                                 rank == 0 ? 1 : (size_t)elements * bytes));
  FAILS(WEFT_BAD_BUFFER, weft_plan_forward(plan, weft_array_data(x), weft_array_data(x)));
  OK(weft_plan_backward(plan, weft_array_data(modes), weft_array_data(x)));
  weft_array_destroy(x);
  weft_array_destroy(modes);
  weft_plan_destroy(plan);
  weft_distribution_destroy(got);
  weft_distribution_destroy(how);
  weft_options_destroy(options);
}

/* Boxes that each rank knows its own of, with ghost cells: a wave is filled, ones are added up. */
static void test_halo(void) {
  weft_distribution* how = NULL;
  weft_halo* around = NULL;
  const int64_t low[3] = {6 * rank / ranks, 0, 0}, high[3] = {6 * (rank + 1) / ranks, 5, 4};
  const int64_t before[3] = {1, 0, 0}, after[3] = {2, 0, 1};
  int64_t elements = 0, strides[3], offset = -1, mine[3];
  OK(weft_distribution_bricks_of(3, shape, low, high, MPI_COMM_WORLD, &how));
  OK(weft_distribution_local_shape(how, rank, mine));
  CHECK(mine[0] == high[0] - low[0]);
  OK(weft_halo_create(how, before, after, 1, WEFT_F64, 2, MPI_COMM_WORLD, &around));
  OK(weft_halo_elements(around, &elements));
  OK(weft_halo_layout(around, strides, &offset));
  CHECK(mine[0] == 0 || (elements == (mine[0] + 3) * 5 * 5 && strides[0] == 25 && strides[1] == 5 && offset == 25));
  double complex* cells = calloc((size_t)elements + 1, sizeof(double complex));
  for (int64_t i = 0; i < mine[0]; ++i) {
    for (int64_t j = 0; j < 5; ++j) {
      for (int64_t k = 0; k < 4; ++k) {
        cells[offset + i * 25 + j * 5 + k] = (double)(100 * (low[0] + i) + 10 * j) + I * (double)k;
      }
    }
  }
  OK(weft_halo_fill(around, cells));
  for (int64_t c = 0; c < elements; ++c) {
    const int64_t i = (low[0] - 1 + c / 25 + 6) % 6, j = c / 5 % 5, k = c % 5 % 4;
    CHECK(cells[c] == (double)(100 * i + 10 * j) + I * (double)k);
  }
  double total = 0, kept = 0;
  for (int64_t c = 0; c < elements; ++c) cells[c] = 1;
  OK(weft_halo_accumulate(around, cells));
  for (int64_t c = 0; c < elements; ++c) kept += creal(cells[c]);
  const double all = (double)elements;
  MPI_Allreduce(&all, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &kept, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(kept == total); /* nothing is lost, and ghosts have none of it */
  if (elements > 0) CHECK(cells[0] == 0);
  weft_halo* none = NULL;
  FAILS(WEFT_BAD_ARGUMENT, weft_halo_create(how, before, after, 1, WEFT_F64, 3, MPI_COMM_WORLD, &none));
  weft_halo_destroy(around);
  weft_distribution_destroy(how);
  free(cells);
}

/* A plan of another type, on the same ranks in the same way. */
static void test_like(void) {
  weft_options* options = NULL;
  weft_plan *first = NULL, *second = NULL;
  weft_distribution *a = NULL, *b = NULL;
  int same = 0;
  OK(weft_options_create(&options));
  OK(weft_options_set(options, "in", "[* c0 *]"));
  OK(weft_plan_create(3, shape, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, options, &first));
  OK(weft_options_set(options, "batch", "3"));
  OK(weft_options_set_like(options, first));
  OK(weft_plan_create(3, shape, WEFT_R2C, WEFT_F32, MPI_COMM_WORLD, options, &second));
  OK(weft_plan_distribution(first, WEFT_INPUT, &a));
  OK(weft_plan_distribution(second, WEFT_INPUT, &b));
  OK(weft_distribution_same(a, b, ranks, &same));
  CHECK(same == 1);
  weft_distribution_destroy(a);
  weft_distribution_destroy(b);
  weft_plan_destroy(first);
  weft_plan_destroy(second);
  weft_options_destroy(options);
}

static void test_plan_errors(void) {
  weft_options* options = NULL;
  weft_plan* plan = NULL;
  OK(weft_options_create(&options));
  OK(weft_options_set(options, "algorithm", "slap"));
  FAILS(WEFT_UNKNOWN_NAME, weft_plan_create(3, shape, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, options, &plan));
  OK(weft_options_set(options, "algorithm", "auto"));
  OK(weft_options_set(options, "batch", "0"));
  FAILS(WEFT_BAD_ARGUMENT, weft_plan_create(3, shape, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, options, &plan));
  const int last = rank == ranks - 1;
  FAILS(WEFT_BAD_ARGUMENT, weft_plan_create(3, shape, WEFT_C2C, last ? 7 : WEFT_F64, MPI_COMM_WORLD, NULL, &plan));
  FAILS(WEFT_BAD_ARGUMENT, weft_plan_create(3, last ? NULL : shape, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, NULL, &plan));
  CHECK(weft_plan_create(3, shape, WEFT_C2C, WEFT_F64, MPI_COMM_NULL, NULL, &plan) != WEFT_OK);
  if (ranks > 1) {
    const int64_t other[3] = {6, 5, rank == 0 ? 3 : 4};
    FAILS(WEFT_MISMATCH, weft_plan_create(3, other, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, NULL, &plan));
  }
  CHECK(plan == NULL);
  FAILS(WEFT_BAD_ARGUMENT, weft_plan_forward(NULL, NULL, NULL));
  weft_array* array = NULL;
  OK(weft_plan_create(3, shape, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, NULL, &plan));
  FAILS(WEFT_BAD_ARGUMENT, weft_array_create(plan, last ? 7 : WEFT_INPUT, &array));
  FAILS(WEFT_BAD_ARGUMENT, weft_array_create(plan, WEFT_INPUT, last ? NULL : &array));
  weft_plan_destroy(plan);
  weft_distribution* how = NULL;
  weft_redistribution* move = NULL;
  OK(weft_distribution_parse("[b0 * *]", 3, shape, ranks, &how));
  FAILS(WEFT_BAD_ARGUMENT, weft_array_create_as(how, 0, 1, SIZE_MAX, &array));
  FAILS(WEFT_BAD_ARGUMENT, weft_redistribution_create(how, how, SIZE_MAX, MPI_COMM_WORLD, NULL, &move));
  CHECK(array == NULL && move == NULL);
  weft_distribution_destroy(how);
  weft_options_destroy(options);
}

static void number_modes(const int64_t* index, void* element, int64_t component, void* user) {
  (void)component;
  *(double complex*)element = (double)(index[0] * 20 + index[1] * 4 + index[2]) + *(double*)user * I;
}

static void check_number(const int64_t* index, void* element, int64_t component, void* user) {
  (void)component;
  CHECK(cabs(*(double complex*)element - (double)(index[0] * 20 + index[1] * 4 + index[2]) - *(double*)user * I) <
        1e-12);
}

/* Three runs at a time, there and back, and what cannot be started. */
static void test_started(void) {
  enum { COUNT = 3 };
  weft_options* options = NULL;
  weft_plan* plan = NULL;
  weft_array *x[COUNT] = {NULL}, *modes[COUNT] = {NULL};
  weft_started *runs[COUNT] = {NULL}, *none = NULL;
  int done = 0;
  OK(weft_options_create(&options));
  OK(weft_options_set(options, "scaling", "backward"));
  OK(weft_options_set(options, "exchange", "p2p"));
  OK(weft_plan_create(3, shape, WEFT_C2C, WEFT_F64, MPI_COMM_WORLD, options, &plan));
  for (int k = 0; k < COUNT; ++k) {
    double which = k;
    OK(weft_array_create(plan, WEFT_INPUT, &x[k]));
    OK(weft_array_create(plan, WEFT_OUTPUT, &modes[k]));
    OK(weft_array_for_each(x[k], number_modes, &which));
  }
  const int last = rank == ranks - 1; /* no place for the handle on one rank */
  FAILS(WEFT_BAD_ARGUMENT,
        weft_plan_start_forward(plan, weft_array_data(x[0]), weft_array_data(modes[0]), last ? NULL : &none));
  for (int k = 0; k < COUNT; ++k) {
    OK(weft_plan_start_forward(plan, weft_array_data(x[k]), weft_array_data(modes[k]), &runs[k]));
  }
  FAILS(WEFT_BAD_BUFFER, weft_plan_start_forward(plan, weft_array_data(modes[0]), weft_array_data(modes[1]), &none));
  FAILS(WEFT_BAD_ARGUMENT, weft_plan_start_forward(NULL, NULL, NULL, &none));
  FAILS(WEFT_BAD_ARGUMENT, weft_started_wait(NULL));
  FAILS(WEFT_BAD_ARGUMENT, weft_started_test(runs[0], NULL));
  CHECK(none == NULL);
  while (!done) OK(weft_started_test(runs[1], &done));
  for (int k = 0; k < COUNT; ++k) {
    OK(weft_started_wait(runs[k]));
    OK(weft_started_wait(runs[k])); /* done is done */
    weft_started_destroy(runs[k]);
    runs[k] = NULL;
    OK(weft_plan_start_backward(plan, weft_array_data(modes[k]), weft_array_data(x[k]), &runs[k]));
  }
  weft_plan_destroy(plan); /* the runs have what they need of it */
  for (int k = 0; k < COUNT; ++k) {
    double which = k;
    if (k == 0) OK(weft_started_wait(runs[k]));
    weft_started_destroy(runs[k]);
    OK(weft_array_for_each(x[k], check_number, &which));
    weft_array_destroy(x[k]);
    weft_array_destroy(modes[k]);
  }
  weft_started_destroy(NULL);
  weft_options_destroy(options);
}

static int stop_at_once(int64_t done, int64_t total, double best_seconds, const char* best, void* user) {
  CHECK(done >= 1 && total >= done && best_seconds > 0 && best[0] != '\0');
  ++*(int*)user;
  return 0;
}

static void test_planning(void) {
  char* text = NULL;
  weft_wisdom *empty = NULL, *other = NULL;
  int64_t entries = -1;
  int calls = 0;
  const int64_t large[3] = {512, 512, 512};
  CHECK(holds(weft_explain(3, large, WEFT_R2C, WEFT_F32, NULL, 384, &text), &text, "chosen"));
  FAILS(WEFT_BAD_ARGUMENT, weft_explain(3, large, 9, WEFT_F32, NULL, 384, &text));
  OK(weft_wisdom_load("/no/such/file", &empty));
  OK(weft_wisdom_entries(empty, &entries));
  CHECK(entries == 0);
  OK(weft_wisdom_parse("weft wisdom 1\n", &other));
  OK(weft_wisdom_merge(empty, other));
  CHECK(holds(weft_wisdom_text(empty, &text), &text, "weft wisdom 1"));
  FAILS(WEFT_BAD_FILE, weft_wisdom_parse("nonsense", &other));
  FAILS(WEFT_BAD_FILE, weft_wisdom_save_into(empty, "/no/such/folder/file", 0));
  weft_wisdom_destroy(empty);
  weft_wisdom_destroy(other);

  weft_options* options = NULL;
  weft_plan* plan = NULL;
  int64_t timed = 0;
  OK(weft_options_create(&options));
  OK(weft_options_set(options, "planning", "measure"));
  OK(weft_options_set_progress(options, stop_at_once, &calls));
  OK(weft_plan_create(3, shape, WEFT_R2C, WEFT_F64, MPI_COMM_WORLD, options, &plan));
  OK(weft_plan_number(plan, "timed", &timed));
  CHECK(timed >= 1 && calls == (rank == 0 ? 1 : 0));
  weft_plan_destroy(plan);
  weft_options_destroy(options);
  if (ranks == 2) CHECK(holds(weft_measure_machine(MPI_COMM_WORLD, NULL, &text), &text, "message_seconds"));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  test_names();
  test_options();
  test_distributions();
  test_redistribution();
  test_plan();
  test_halo();
  test_like();
  test_plan_errors();
  test_started();
  test_planning();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks: %d wrong\n", ranks, wrong);
  MPI_Finalize();
  return wrong != 0;
}
