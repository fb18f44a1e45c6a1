/* SPDX-License-Identifier: BSD-3-Clause */
/* The test vectors of tests/vectors through weft.h: c_vectors_test FOLDER, on 1 to as many ranks as it was started on.
 */
#include <complex.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "check.h"

enum { MAX_AXES = 8 };

typedef struct {
  int axes, halved, backward, transform;
  int64_t shape[MAX_AXES], modes_shape[MAX_AXES], batch, modes;
  int64_t factor; /* of backward after forward; 0: modes are lost */
  char kinds[64], kept[64];
  int transformed[MAX_AXES];
  double energy;
  double complex* expected; /* by batch and index, row-major */
} vector_case;

static int64_t offset_of(const vector_case* c, const int64_t* shape, const int64_t* index, int64_t component) {
  int64_t offset = component;
  for (int l = 0; l < c->axes; ++l) offset = offset * shape[l] + index[l];
  return offset;
}

static double input_part(int64_t k, int64_t square, int64_t linear, int64_t constant) {
  return (double)((square * k * k + linear * k + constant) % 65537 - 32768) / 32768;
}

static double complex input_at(const vector_case* c, const int64_t* index, int64_t component) {
  const int64_t k = offset_of(c, c->shape, index, component);
  const double re = input_part(k, 31, 7919, 12345);
  return c->transform != WEFT_C2C ? re : re + I * input_part(k, 17, 104729, 54321);
}

static int read_case(const char* file, vector_case* c) {
  FILE* in = fopen(file, "r");
  char word[32];
  int version = 0, at = 0;
  memset(c, 0, sizeof *c);
  if (in == NULL || fscanf(in, "weft_vector %d", &version) != 1 || version < 1 || version > 2) return 0;
  int read = fscanf(in, " transform %31s", word);
  c->transform = strcmp(word, "r2c") == 0 ? WEFT_R2C : strcmp(word, "r2r") == 0 ? WEFT_R2R : WEFT_C2C;
  read += fscanf(in, " direction %31s", word);
  c->backward = strcmp(word, "backward") == 0;
  read += fscanf(in, " axes %d shape", &c->axes);
  for (int l = 0; l < c->axes; ++l) read += fscanf(in, "%ld", &c->shape[l]) == 1;
  read += fscanf(in, " transformed%n", &at) == 0;
  for (int l = 0; l < c->axes; ++l) read += fscanf(in, "%d", &c->transformed[l]) == 1;
  read += fscanf(in, " halved %d batch %ld", &c->halved, &c->batch);
  c->factor = 1;
  for (int l = 0; l < c->axes; ++l) {
    c->modes_shape[l] = c->shape[l];
    if (c->transformed[l]) c->factor *= c->shape[l];
  }
  if (version == 2) { /* what each axis becomes, and how many modes of it are kept */
    if (fscanf(in, " kinds%n", &at) != 0) return 0;
    for (int l = 0; l < c->axes; ++l) {
      if (fscanf(in, "%31s", word) != 1) return 0;
      strcat(strcat(c->kinds, l > 0 ? "," : ""), word);
    }
    if (fscanf(in, " kept%n", &at) != 0) return 0;
    for (int l = 0; l < c->axes; ++l) {
      if (fscanf(in, "%ld", &c->modes_shape[l]) != 1) return 0;
      sprintf(c->kept + strlen(c->kept), "%s%ld", l > 0 ? "," : "", c->modes_shape[l]);
    }
    if (fscanf(in, " factor %ld", &c->factor) != 1) return 0;
  }
  read += fscanf(in, " modes %ld energy %lf", &c->modes, &c->energy);
  if (read != 8 + 2 * c->axes) return 0;
  int64_t all = c->batch;
  for (int l = 0; l < c->axes; ++l) {
    if (l == c->halved) c->modes_shape[l] = c->modes_shape[l] / 2 + 1;
    all *= c->modes_shape[l];
  }
  c->expected = malloc(sizeof(double complex) * (size_t)all);
  for (int64_t m = 0; m < c->modes; ++m) {
    int64_t component, index[MAX_AXES];
    double re, im;
    if (fscanf(in, "%ld", &component) != 1) return 0;
    for (int l = 0; l < c->axes; ++l) {
      if (fscanf(in, "%ld", &index[l]) != 1) return 0;
    }
    if (fscanf(in, "%lf %lf", &re, &im) != 2) return 0;
    c->expected[offset_of(c, c->modes_shape, index, component)] = re + I * im;
  }
  fclose(in);
  return all == c->modes;
}

/* What the visitors need. */
typedef struct {
  const vector_case* of;
  int precision;
  double limit, worst;
  int64_t seen;
} visit_state;

static void put(void* element, double complex value, int real, int precision) {
  if (real && precision == WEFT_F32) *(float*)element = (float)creal(value);
  if (real && precision == WEFT_F64) *(double*)element = creal(value);
  if (!real && precision == WEFT_F32) *(float complex*)element = (float complex)value;
  if (!real && precision == WEFT_F64) *(double complex*)element = value;
}

static double complex get(const void* element, int real, int precision) {
  if (real) return precision == WEFT_F32 ? (double)*(const float*)element : *(const double*)element;
  return precision == WEFT_F32 ? (double complex) * (const float complex*)element : *(const double complex*)element;
}

static void fill(const int64_t* index, void* element, int64_t component, void* user) {
  const visit_state* s = user;
  put(element, input_at(s->of, index, component), s->of->transform != WEFT_C2C, s->precision);
}

static void compare_modes(const int64_t* index, void* element, int64_t component, void* user) {
  visit_state* s = user;
  const double complex want = s->of->expected[offset_of(s->of, s->of->modes_shape, index, component)];
  s->worst = fmax(s->worst, cabs(get(element, s->of->transform == WEFT_R2R, s->precision) - want));
  ++s->seen;
}

static void compare_inputs(const int64_t* index, void* element, int64_t component, void* user) {
  visit_state* s = user;
  const double complex got = get(element, s->of->transform != WEFT_C2C, s->precision);
  const double scale = (double)s->of->factor;
  s->worst = fmax(s->worst, cabs(got - scale * input_at(s->of, index, component)));
}

/* Named options, and what they must do to the transform: nothing. */
static const char* const variants[][2] = {{NULL, NULL},         {"out", "same"},    {"exchange", "p2p"},
                                          {"in_place", "true"}, {"in", "[c0 * *]"}, {"idle_ranks", "false"}};

static weft_options* options_of(const vector_case* c, int variant) {
  weft_options* options = NULL;
  char text[64] = "";
  OK(weft_options_create(&options));
  for (int l = 0; l < c->axes; ++l) {
    if (c->transformed[l]) sprintf(text + strlen(text), "%s%d", text[0] ? "," : "", l);
  }
  if (c->kinds[0] == '\0') {
    OK(weft_options_set(options, "axes", text));
    sprintf(text, "%d", c->halved);
    OK(weft_options_set(options, "real_axis", text));
  } else {
    OK(weft_options_set(options, "kinds", c->kinds));
    OK(weft_options_set(options, "modes", c->kept));
  }
  sprintf(text, "%ld", c->batch);
  OK(weft_options_set(options, "batch", text));
  if (variants[variant][0] != NULL) OK(weft_options_set(options, variants[variant][0], variants[variant][1]));
  return options;
}

static void run_case(const vector_case* c, int precision, int variant, MPI_Comm on) {
  weft_options* options = options_of(c, variant);
  weft_plan* plan = NULL;
  const int in_place = variant == 3;
  OK(weft_plan_create(c->axes, c->shape, c->transform, precision, on, options, &plan));
  if (plan == NULL) return;
  const int first = c->backward ? WEFT_OUTPUT : WEFT_INPUT, second = c->backward ? WEFT_INPUT : WEFT_OUTPUT;
  weft_array *x = NULL, *y = NULL;
  OK(weft_array_create(plan, first, &x));
  if (in_place) {
    OK(weft_array_over(plan, second, x, &y));
  } else {
    OK(weft_array_create(plan, second, &y));
  }
  visit_state state = {c, precision, 0, 0, 0};
  OK(weft_array_for_each(x, fill, &state));
  int (*there)(weft_plan*, const void*, void*) = c->backward ? weft_plan_backward : weft_plan_forward;
  int (*back)(weft_plan*, const void*, void*) = c->backward ? weft_plan_forward : weft_plan_backward;
  OK(there(plan, weft_array_data(x), weft_array_data(y)));
  OK(weft_array_for_each(y, compare_modes, &state));
  const double limit = (precision == WEFT_F32 ? 2e-5 : 1e-13) * sqrt(c->energy);
  CHECK(state.worst <= limit);
  CHECK(state.seen == weft_array_size(y));
  MPI_Allreduce(MPI_IN_PLACE, &state.seen, 1, MPI_INT64_T, MPI_SUM, on);
  CHECK(state.seen == c->modes);
  state.worst = 0;
  OK(back(plan, weft_array_data(y), weft_array_data(x)));
  if (c->factor > 0) OK(weft_array_for_each(x, compare_inputs, &state));
  CHECK(state.worst <= limit * (double)c->factor);
  weft_array_destroy(y);
  weft_array_destroy(x);
  weft_plan_destroy(plan);
  weft_options_destroy(options);
}

static int is_vector(const struct dirent* entry) { return strstr(entry->d_name, ".txt") != NULL; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, cases = 0, runs = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  struct dirent** files = NULL;
  const int count = argc == 2 ? scandir(argv[1], &files, is_vector, alphasort) : 0;
  for (int f = 0; f < count; ++f) {
    char path[4096];
    vector_case c;
    snprintf(path, sizeof path, "%s/%s", argv[1], files[f]->d_name);
    const int readable = read_case(path, &c);
    CHECK(readable);
    if (!readable) continue;
    ++cases;
    for (int size = 1; size <= ranks; ++size) {
      MPI_Comm on;
      MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank, &on);
      if (on == MPI_COMM_NULL) continue;
      for (int variant = 0; variant < (int)(sizeof variants / sizeof variants[0]); ++variant) {
        if (variant == 4 && c.axes != 3) continue; /* a text for three axes */
        run_case(&c, (size + variant + f) % 2 ? WEFT_F32 : WEFT_F64, variant, on);
        ++runs;
      }
      MPI_Comm_free(&on);
    }
    free(c.expected);
    free(files[f]);
  }
  free(files);
  CHECK(cases > 10);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d vectors, %d runs on up to %d ranks: %d wrong\n", cases, runs, ranks, wrong);
  MPI_Finalize();
  return wrong != 0;
}
