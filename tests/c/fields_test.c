/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole arrays, files, modes, convolutions and devices through weft.h. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weft/weft.h>

#include "check.h"

enum { NX = 8, NY = 6, NZ = 10 };
static const int64_t shape[3] = {NX, NY, NZ};
static int rank, ranks;

static double value_at(const int64_t* i, int64_t component) {
  return (double)(((i[0] * NY + i[1]) * NZ + i[2]) * 7 % 23) - (double)component;
}

static void set_value(const int64_t* index, void* element, int64_t component, void* user) {
  (void)user;
  *(double*)element = value_at(index, component);
}

static void check_value(const int64_t* index, void* element, int64_t component, void* user) {
  CHECK(fabs(*(double*)element - *(double*)user * value_at(index, component)) < 1e-11);
}

static weft_array* array_of(const weft_plan* plan, int side) {
  weft_array* made = NULL;
  OK(weft_array_create(plan, side, &made));
  return made;
}

static weft_plan* plan_of(int transform, const weft_options* options) {
  weft_plan* made = NULL;
  OK(weft_plan_create(3, shape, transform, WEFT_F64, MPI_COMM_WORLD, options, &made));
  return made;
}

/* One rank has all, and gives it back to an array over memory of the caller's with ghost cells. */
static void test_gather(void) {
  weft_distribution* how = NULL;
  weft_array *x = NULL, *y = NULL, *copy = NULL;
  int64_t mine[3];
  const int root = ranks - 1;
  const size_t bytes = sizeof(double) * 2 * NX * NY * NZ;
  OK(weft_distribution_parse("[* c0 *]", 3, shape, ranks, &how));
  OK(weft_distribution_local_shape(how, rank, mine));
  OK(weft_array_create_as(how, rank, 2, sizeof(double), &x));
  OK(weft_array_for_each(x, set_value, NULL));
  double* all = rank == root ? malloc(bytes) : NULL;
  OK(weft_gather(x, MPI_COMM_WORLD, root, all, bytes));
  if (rank == root) {
    const int64_t index[3] = {5, 4, 3};
    CHECK(all[((NX + 5) * NY + 4) * NZ + 3] == value_at(index, 1));
  }
  /* one cell before and after each row */
  const int64_t strides[4] = {NX * mine[1] * (NZ + 2), mine[1] * (NZ + 2), NZ + 2, 1};
  const size_t room = (size_t)(2 * NX * mine[1] * (NZ + 2));
  double* cells = calloc(room + 1, sizeof(double));
  OK(weft_array_create_in(how, rank, 2, sizeof(double), 4, strides, 1, cells, room * sizeof(double), &y));
  CHECK(weft_array_data(y) == cells);
  OK(weft_scatter(all, bytes, y, MPI_COMM_WORLD, root));
  double one = 1;
  OK(weft_array_for_each(y, check_value, &one));
  for (size_t c = 0; c < room; c += NZ + 2) CHECK(cells[c] == 0);
  OK(weft_array_to_host(y, &copy));
  OK(weft_array_for_each(copy, check_value, &one));
  OK(weft_array_copy(copy, y));
  FAILS(WEFT_BAD_ARGUMENT, weft_array_copy(x, y));
  FAILS(WEFT_BAD_BUFFER, weft_gather(x, MPI_COMM_WORLD, root, all, bytes - 1));
  FAILS(WEFT_BAD_ARGUMENT, weft_gather(rank == 0 ? NULL : x, MPI_COMM_WORLD, root, all, bytes));
  if (room > 0) FAILS(WEFT_BAD_BUFFER, weft_array_create_in(how, rank, 2, 8, 4, strides, 1, cells, 1, &x));
  double sum = 0, want = 0;
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t k = 0; k < NX * NY * NZ; ++k) want += (double)(k * 7 % 23) - (double)b;
  }
  OK(weft_sum(y, WEFT_F64, 1, MPI_COMM_WORLD, &sum));
  CHECK(sum == want);
  FAILS(WEFT_BAD_ARGUMENT, weft_sum(y, WEFT_F64, 3, MPI_COMM_WORLD, &sum));
  FAILS(WEFT_BAD_BUFFER, weft_sum(y, rank == 0 ? WEFT_F32 : WEFT_F64, 1, MPI_COMM_WORLD, &sum));
  weft_array_destroy(copy);
  weft_array_destroy(y);
  weft_array_destroy(x);
  weft_distribution_destroy(how);
  free(cells);
  free(all);
}

static void test_files(void) {
  weft_distribution *rows = NULL, *columns = NULL;
  weft_array *x = NULL, *y = NULL;
  weft_stored found;
  char *text = NULL, file[64];
  int id = (int)getpid();
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(file, sizeof file, "c_fields_test.%d.h5", id);
  OK(weft_distribution_parse("[b0 * *]", 3, shape, ranks, &rows));
  OK(weft_distribution_parse("[* * c0]", 3, shape, ranks, &columns));
  OK(weft_array_create_as(rows, rank, 2, sizeof(double), &x));
  OK(weft_array_create_as(columns, rank, 2, sizeof(double), &y));
  OK(weft_array_for_each(x, set_value, NULL));
  if (!weft_can_store()) {
    FAILS(WEFT_BAD_FILE, weft_write(file, NULL, x, WEFT_F64, 1, MPI_COMM_WORLD));
  } else {
    double one = 1;
    OK(weft_write(file, "field", x, WEFT_F64, 1, MPI_COMM_WORLD));
    OK(weft_read(file, "field", y, WEFT_F64, 1, MPI_COMM_WORLD));
    OK(weft_array_for_each(y, check_value, &one));
    OK(weft_look_into(file, "field", MPI_COMM_WORLD, &found, &text));
    CHECK(found.axes == 3 && found.shape[0] == NX && found.shape[2] == NZ && found.batch == 2);
    CHECK(found.precision == WEFT_F64 && found.parts == 1 && strstr(text, "[b0 * *]") != NULL);
    weft_free(text);
    OK(weft_look_into(file, "field", MPI_COMM_WORLD, &found, NULL));
    FAILS(WEFT_BAD_FILE, weft_read(file, NULL, y, WEFT_F64, 1, MPI_COMM_WORLD)); /* no dataset "data" */
    FAILS(WEFT_BAD_ARGUMENT, weft_read(rank == 0 ? NULL : file, NULL, y, WEFT_F64, 1, MPI_COMM_WORLD));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) CHECK(unlink(file) == 0);
  }
  weft_array_destroy(x);
  weft_array_destroy(y);
  weft_distribution_destroy(rows);
  weft_distribution_destroy(columns);
}

/* Twice what is above the middle, half of it below: depends on index, component and user alone. */
static void weigh(const int64_t* index, void* element, int64_t component, void* user) {
  *(double complex*)element *= *(const double*)user * (double)(1 + index[2] + 3 * index[0] + component);
}

typedef struct {
  weft_array* plain;
  double factor;
  int64_t seen;
} comparison;

static void compare_weighed(const int64_t* index, void* element, int64_t component, void* user) {
  comparison* c = user;
  double complex want = *(double complex*)weft_array_at(c->plain, index, component);
  weigh(index, &want, component, &c->factor);
  CHECK(cabs(*(double complex*)element - want) < 1e-9);
  ++c->seen;
}

/* forward with a function is forward, then the function; likewise backward. */
static void test_functions(const char* interleaved) {
  weft_options* options = NULL;
  OK(weft_options_create(&options));
  OK(weft_options_set(options, "batch", "2"));
  OK(weft_options_set(options, "interleaved", interleaved));
  weft_plan* plan = plan_of(WEFT_R2C, options);
  weft_array *x = array_of(plan, WEFT_INPUT), *y = array_of(plan, WEFT_INPUT);
  weft_array *plain = array_of(plan, WEFT_OUTPUT), *modes = array_of(plan, WEFT_OUTPUT);
  double factor = 0.5;
  OK(weft_array_for_each(x, set_value, NULL));
  OK(weft_plan_forward(plan, weft_array_data(x), weft_array_data(plain)));
  OK(weft_plan_forward_with(plan, weft_array_data(x), weft_array_data(modes), weigh, &factor));
  comparison c = {plain, factor, 0};
  OK(weft_array_for_each(modes, compare_weighed, &c));
  CHECK(c.seen == weft_array_size(modes));
  OK(weft_plan_backward(plan, weft_array_data(modes), weft_array_data(x)));
  OK(weft_plan_backward_with(plan, weft_array_data(plain), weft_array_data(y), weigh, &factor));
  const double *a = weft_array_data(x), *b = weft_array_data(y);
  for (int64_t k = 0; k < weft_array_size(x); ++k) CHECK(fabs(a[k] - b[k]) < 1e-8);
  if (ranks > 1) { /* not all ranks pass one */
    CHECK(weft_plan_forward_with(plan, a, weft_array_data(modes), rank == 0 ? NULL : weigh, &factor) != WEFT_OK);
  }
  weft_array_destroy(x);
  weft_array_destroy(y);
  weft_array_destroy(plain);
  weft_array_destroy(modes);
  weft_plan_destroy(plan);
  weft_options_destroy(options);
}

static void set_wave(const int64_t* index, void* element, int64_t component, void* user) {
  (void)user, (void)component;
  const double x = 2 * M_PI * (double)index[0] / NX, z = 2 * M_PI * (double)index[2] / NZ;
  *(double*)element = sin(x) * cos(3 * z);
}

/* component 0: d/dx, 1: d/dy, 2: d/dz of the wave */
static void check_gradient(const int64_t* index, void* element, int64_t component, void* user) {
  (void)user;
  const double x = 2 * M_PI * (double)index[0] / NX, z = 2 * M_PI * (double)index[2] / NZ;
  const double want[3] = {cos(x) * cos(3 * z), 0, -3 * sin(x) * sin(3 * z)};
  CHECK(fabs(*(double*)element - want[component]) < 1e-12);
}

static void check_wave(const int64_t* index, void* element, int64_t component, void* user) {
  double want = 0;
  set_wave(index, &want, component, NULL);
  CHECK(fabs(*(double*)element - *(double*)user * want) < 1e-11);
}

static void check_zero(const int64_t* index, void* element, int64_t component, void* user) {
  (void)index, (void)component, (void)user;
  CHECK(cabs(*(double complex*)element) < 1e-11);
}

static void test_spectral(void) {
  weft_options* options = NULL;
  weft_spectral *of = NULL, *none = NULL;
  OK(weft_options_create(&options));
  OK(weft_options_set(options, "scaling", "forward"));
  weft_plan* plan = plan_of(WEFT_R2C, options);
  OK(weft_options_set_like(options, plan));
  OK(weft_options_set(options, "batch", "3"));
  weft_plan* vectors = plan_of(WEFT_R2C, options);
  weft_array *x = array_of(plan, WEFT_INPUT), *f = array_of(plan, WEFT_OUTPUT), *g = array_of(plan, WEFT_OUTPUT);
  weft_array *v = array_of(vectors, WEFT_OUTPUT), *w = array_of(vectors, WEFT_OUTPUT);
  weft_array* u = array_of(vectors, WEFT_INPUT);
  OK(weft_array_for_each(x, set_wave, NULL));
  OK(weft_plan_forward(plan, weft_array_data(x), weft_array_data(f)));
  OK(weft_spectral_create(plan, NULL, &of));

  double k = 0, square = 0, one = 1;
  OK(weft_spectral_wavenumber(of, 0, NX - 1, &k));
  CHECK(k == -1);
  OK(weft_spectral_wavenumber(of, 0, NX / 2, &k));
  CHECK(k == NX / 2);
  OK(weft_spectral_odd_wavenumber(of, 0, NX / 2, &k));
  CHECK(k == 0);
  FAILS(WEFT_BAD_ARGUMENT, weft_spectral_wavenumber(of, 3, 0, &k));
  int64_t local[3], indices[NX];
  double numbers[NX], weights[NZ];
  OK(weft_array_local_shape(f, local));
  OK(weft_array_indices(f, 0, indices));
  OK(weft_spectral_wavenumbers(of, 0, numbers));
  for (int64_t i = 0; i < local[0]; ++i)
    CHECK(numbers[i] == (double)(indices[i] > NX / 2 ? indices[i] - NX : indices[i]));
  OK(weft_spectral_odd_wavenumbers(of, 0, numbers));
  for (int64_t i = 0; i < local[0]; ++i) CHECK(indices[i] != NX / 2 || numbers[i] == 0);
  OK(weft_array_indices(f, 2, indices));
  OK(weft_spectral_weights(of, 2, weights));
  for (int64_t i = 0; i < local[2]; ++i) CHECK(weights[i] == (indices[i] == 0 || indices[i] == NZ / 2 ? 1 : 2));

  OK(weft_spectral_mean_squares(of, f, &square));
  CHECK(fabs(square - 0.25) < 1e-14);
  int64_t count = 0;
  weft_shell shells[32];
  OK(weft_spectral_spectrum(of, f, 0, 32, shells, &count));
  CHECK(count > 3 && count <= 32 && fabs(shells[3].power - 0.25) < 1e-14 && shells[0].modes == 1); /* sqrt(10) */

  OK(weft_spectral_gradient(of, f, v));
  OK(weft_plan_backward(vectors, weft_array_data(v), weft_array_data(u)));
  OK(weft_array_for_each(u, check_gradient, NULL));
  OK(weft_spectral_curl(of, v, w));
  OK(weft_array_for_each(w, check_zero, NULL)); /* of a gradient */
  OK(weft_spectral_divergence(of, v, g));
  OK(weft_spectral_poisson(of, g, g));
  OK(weft_plan_backward(plan, weft_array_data(g), weft_array_data(x)));
  OK(weft_array_for_each(x, check_wave, &one));
  OK(weft_spectral_laplacian(of, f, g));
  OK(weft_plan_backward(plan, weft_array_data(g), weft_array_data(x)));
  double minus_ten = -10;
  OK(weft_array_for_each(x, check_wave, &minus_ten));
  OK(weft_spectral_derivative(of, f, g, 1));
  OK(weft_array_for_each(g, check_zero, NULL));

  FAILS(WEFT_BAD_BUFFER, weft_spectral_laplacian(of, rank == 0 ? x : f, g)); /* one rank passes the field */
  FAILS(WEFT_BAD_ARGUMENT, weft_spectral_laplacian(of, f, rank == ranks - 1 ? NULL : g));
  const double flat[3] = {1, 0, 1};
  FAILS(WEFT_BAD_ARGUMENT, weft_spectral_create(plan, flat, &none));
  weft_spectral_destroy(of);
  weft_array_destroy(x);
  weft_array_destroy(f);
  weft_array_destroy(g);
  weft_array_destroy(u);
  weft_array_destroy(v);
  weft_array_destroy(w);
  weft_plan_destroy(plan);
  weft_plan_destroy(vectors);
  weft_options_destroy(options);
}

/* cos(2 k x) between walls at 0 and pi, and what becomes of it. */
static void set_cosine(const int64_t* index, void* element, int64_t component, void* user) {
  (void)component, (void)user;
  *(double*)element = cos(2 * M_PI * ((double)index[0] + 0.5) / NX);
}

static void check_cosine(const int64_t* index, void* element, int64_t component, void* user) {
  (void)component;
  CHECK(fabs(*(double*)element - *(double*)user * cos(2 * M_PI * ((double)index[0] + 0.5) / NX)) < 1e-12);
}

static void test_spectral_between_walls(void) {
  weft_options* options = NULL;
  weft_spectral* of = NULL;
  OK(weft_options_create(&options));
  OK(weft_options_set(options, "kinds", "dct2,dct2,none"));
  OK(weft_options_set(options, "scaling", "backward"));
  weft_plan* plan = plan_of(WEFT_R2R, options);
  weft_array *x = array_of(plan, WEFT_INPUT), *f = array_of(plan, WEFT_OUTPUT), *g = array_of(plan, WEFT_OUTPUT);
  double k = 0, square = 0, minus_four = -4, one = 1;
  int64_t count = 0;
  weft_shell shells[64];
  OK(weft_array_for_each(x, set_cosine, NULL));
  OK(weft_plan_forward(plan, weft_array_data(x), weft_array_data(f)));
  OK(weft_spectral_create(plan, NULL, &of));
  OK(weft_spectral_wavenumber(of, 0, 2, &k));
  CHECK(k == 2);
  OK(weft_spectral_mean_squares(of, f, &square));
  CHECK(fabs(square - 0.5) < 1e-13);
  OK(weft_spectral_spectrum(of, f, 0, 64, shells, &count));
  CHECK(count > 2 && count <= 64 && fabs(shells[2].power - 0.5) < 1e-13);
  OK(weft_spectral_laplacian(of, f, g));
  OK(weft_plan_backward(plan, weft_array_data(g), weft_array_data(x)));
  OK(weft_array_for_each(x, check_cosine, &minus_four));
  OK(weft_plan_forward(plan, weft_array_data(x), weft_array_data(g)));
  OK(weft_spectral_poisson(of, g, g));
  OK(weft_plan_backward(plan, weft_array_data(g), weft_array_data(x)));
  OK(weft_array_for_each(x, check_cosine, &one));
  FAILS(WEFT_BAD_BUFFER, weft_spectral_derivative(of, f, g, 0)); /* real modes have none */
  weft_spectral_destroy(of);
  weft_array_destroy(x);
  weft_array_destroy(f);
  weft_array_destroy(g);
  weft_plan_destroy(plan);
  weft_options_destroy(options);
}

static void set_shift(const int64_t* index, void* element, int64_t component, void* user) {
  (void)user, (void)component;
  *(double*)element = index[0] == 1 && index[1] == 0 && index[2] == 2; /* moves by (1, 0, 2) */
}

static void shift_in_modes(const int64_t* index, void* element, int64_t component, void* user) {
  (void)user, (void)component;
  *(double complex*)element = cexp(-2 * M_PI * I * ((double)index[0] / NX + 2 * (double)index[2] / NZ));
}

static void check_moved(const int64_t* index, void* element, int64_t component, void* user) {
  const int way = *(int*)user;
  const int64_t from[3] = {(index[0] - way + NX) % NX, index[1], (index[2] - 2 * way + NZ) % NZ};
  CHECK(fabs(*(double*)element - value_at(from, component)) < 1e-12);
}

static void test_convolution(void) {
  weft_convolution *by = NULL, *none = NULL;
  weft_plan* plan = NULL;
  int there = 1, back = -1;
  OK(weft_convolution_create(3, shape, WEFT_R2C, WEFT_F64, MPI_COMM_WORLD, NULL, &by));
  OK(weft_convolution_plan(by, &plan));
  weft_array *x = array_of(plan, WEFT_INPUT), *y = array_of(plan, WEFT_INPUT), *kernel = array_of(plan, WEFT_INPUT);
  weft_array *a = array_of(plan, WEFT_OUTPUT), *b = array_of(plan, WEFT_OUTPUT);
  OK(weft_array_for_each(x, set_value, NULL));
  OK(weft_array_for_each(kernel, set_shift, NULL));
  FAILS(WEFT_BAD_ARGUMENT, weft_convolution_convolve(by, x, y)); /* without a kernel */
  FAILS(WEFT_BAD_ARGUMENT, weft_convolution_correlate(by, x, y));
  OK(weft_convolution_kernel_in_space(by, kernel));
  OK(weft_convolution_convolve(by, x, y));
  OK(weft_array_for_each(y, check_moved, &there));
  OK(weft_plan_forward(plan, weft_array_data(kernel), weft_array_data(a)));
  OK(weft_convolution_kernel_in_modes(by, a));
  OK(weft_convolution_correlate(by, x, y));
  OK(weft_array_for_each(y, check_moved, &back));
  OK(weft_convolution_kernel_function(by, shift_in_modes, NULL));
  OK(weft_convolution_convolve(by, x, x)); /* the same array */
  OK(weft_array_for_each(x, check_moved, &there));

  /* sin x cos 3z is beyond what the 2/3 rule keeps along z (3 of 10 is kept, 4 is not): its product with 1 is itself */
  double one = NX * NY * NZ;
  int64_t zero[3] = {0, 0, 0};
  OK(weft_array_for_each(x, set_wave, NULL));
  OK(weft_plan_forward(plan, weft_array_data(x), weft_array_data(a)));
  memset(weft_array_data(b), 0, (size_t)weft_array_size(b) * sizeof(double complex));
  double complex* mean = weft_array_at(b, zero, 0);
  if (mean != NULL) *mean = one;
  OK(weft_convolution_product(by, a, b, b));
  OK(weft_plan_backward(plan, weft_array_data(b), weft_array_data(y)));
  OK(weft_array_for_each(y, check_wave, &one));

  FAILS(WEFT_BAD_BUFFER, weft_convolution_convolve(by, rank == 0 ? a : x, y));
  FAILS(WEFT_BAD_ARGUMENT, weft_convolution_kernel_function(by, rank == 0 ? NULL : shift_in_modes, NULL));
  FAILS(WEFT_BAD_ARGUMENT, weft_convolution_create(3, shape, WEFT_R2R, WEFT_F64, MPI_COMM_WORLD, NULL, &none));
  weft_convolution_destroy(by); /* the plan of it lives on */
  OK(weft_plan_forward(plan, weft_array_data(x), weft_array_data(a)));
  weft_array_destroy(x);
  weft_array_destroy(y);
  weft_array_destroy(kernel);
  weft_array_destroy(a);
  weft_array_destroy(b);
  weft_plan_destroy(plan);
}

/* There and back: with other kinds along some axes, and in a device that the host plays. */
static void test_there_and_back(int transform, const char* kinds, const char* device) {
  weft_options* options = NULL;
  size_t bytes = 0;
  OK(weft_options_create(&options));
  OK(weft_options_set(options, "device", device));
  OK(weft_options_set(options, "kinds", kinds));
  OK(weft_options_set(options, "scaling", "backward"));
  weft_plan* plan = plan_of(transform, options);
  OK(weft_plan_elements(plan, WEFT_OUTPUT, NULL, &bytes));
  CHECK(bytes == (transform == WEFT_R2R ? sizeof(double) : sizeof(double complex)));
  int64_t led = -1;
  OK(weft_plan_number(plan, "led", &led));
  CHECK(strcmp(device, "cpu") == 0 ? led == 0 : led == 0 || led == 1);
  weft_array *x = array_of(plan, WEFT_INPUT), *modes = array_of(plan, WEFT_OUTPUT), *host = NULL;
  OK(weft_array_to_host(x, &host));
  OK(weft_array_for_each(host, set_value, NULL));
  OK(weft_array_copy(host, x));
  OK(weft_plan_forward(plan, weft_array_data(x), weft_array_data(modes)));
  OK(weft_plan_backward_on(plan, weft_array_data(modes), weft_array_data(x), NULL));
  OK(weft_array_copy(x, host));
  double one = 1;
  OK(weft_array_for_each(host, check_value, &one));
  weft_array_destroy(host);
  weft_array_destroy(x);
  weft_array_destroy(modes);
  weft_plan_destroy(plan);
  weft_options_destroy(options);
}

static void test_modes(void) {
  weft_options* options = NULL;
  weft_distribution* of = NULL;
  int64_t kept[3];
  OK(weft_options_create(&options));
  OK(weft_options_set(options, "modes", "5,4,7"));
  OK(weft_options_set(options, "scaling", "forward"));
  weft_plan* plan = plan_of(WEFT_R2C, options);
  OK(weft_plan_distribution(plan, WEFT_OUTPUT, &of));
  OK(weft_distribution_shape(of, kept));
  CHECK(kept[0] == 5 && kept[1] == 4 && kept[2] == 4);
  weft_array *x = array_of(plan, WEFT_INPUT), *modes = array_of(plan, WEFT_OUTPUT);
  OK(weft_array_for_each(x, set_wave, NULL)); /* whose modes are kept */
  OK(weft_plan_forward(plan, weft_array_data(x), weft_array_data(modes)));
  OK(weft_plan_backward(plan, weft_array_data(modes), weft_array_data(x)));
  double one = 1;
  OK(weft_array_for_each(x, check_wave, &one));
  OK(weft_options_set(options, "modes", "9,4,7"));
  weft_plan* none = NULL;
  FAILS(WEFT_BAD_ARGUMENT, weft_plan_create(3, shape, WEFT_R2C, WEFT_F64, MPI_COMM_WORLD, options, &none));
  weft_array_destroy(x);
  weft_array_destroy(modes);
  weft_distribution_destroy(of);
  weft_plan_destroy(plan);
  weft_options_destroy(options);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  test_gather();
  test_files();
  test_functions("false");
  test_functions("true");
  test_spectral();
  test_spectral_between_walls();
  test_convolution();
  test_there_and_back(WEFT_R2R, "dct2,none,dst1", "cpu");
  test_there_and_back(WEFT_R2C, "dct4,r2c,c2c", "cpu");
  test_there_and_back(WEFT_R2C, "", "emulated");
  test_modes();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks: %d wrong\n", ranks, wrong);
  MPI_Finalize();
  return wrong != 0;
}
