/* SPDX-License-Identifier: BSD-3-Clause */
/* Weft for C: everything that <weft/weft.hpp> does. docs/c.md describes every call.
 *
 * Every function returns WEFT_OK or the code of an error, whose text weft_last_error() gives; nothing is written to
 * what it should have returned then. Handles are made by functions named ..._create, ..._parse and the like, and given
 * back by ..._destroy, which takes null as well. Texts in `char**` are the caller's, to be given to weft_free(). Axes,
 * indices and ranks count from 0; arrays are row-major: the last axis runs fastest.
 */
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include <mpi.h>
/* NOLINTBEGIN: this is C */
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors and versions ---- */

enum {
  WEFT_OK = 0,
  WEFT_BAD_ARGUMENT = 1,     /* a value outside its limits */
  WEFT_BAD_DISTRIBUTION = 2, /* a distribution that does not fit its array, or boxes that do not tile */
  WEFT_BAD_BUFFER = 3,       /* memory that is too small, or aliases where it must not */
  WEFT_MISMATCH = 4,         /* ranks passed different arguments */
  WEFT_UNKNOWN_NAME = 5,     /* no algorithm, engine or option of that name */
  WEFT_NOT_APPLICABLE = 6,   /* the named algorithm or engine cannot do this problem */
  WEFT_MPI_FAILURE = 7,      /* an MPI call failed */
  WEFT_INTERNAL = 8,         /* a defect in Weft */
  WEFT_BAD_FILE = 9          /* a file that cannot be read, written or understood */
};

/* Of the last call in this thread that failed; empty before. Valid until the next one fails. */
WEFT_API const char* weft_last_error(void);
WEFT_API const char* weft_version(void);
WEFT_API void weft_free(void* text);
/* "slab,pencil,...": what = "algorithms", "exchanges" (engines) or "locals" (engines). */
WEFT_API int weft_names(const char* what, char** names);

/* ---- distributions: values, no MPI ---- */

typedef struct weft_distribution weft_distribution;

/* "[b0 * c1]@2x3" or "bricks{...}"; without @grid on the one-axis grid of `ranks`. */
WEFT_API int weft_distribution_parse(const char* text, int axes, const int64_t* shape, int ranks,
                                     weft_distribution** made);
/* One box per rank, [low, high) along each axis: axes entries in low and high for each rank. */
WEFT_API int weft_distribution_bricks(int axes, const int64_t* shape, int ranks, const int64_t* low,
                                      const int64_t* high, weft_distribution** made);
/* Collective: the same from each rank's own box. */
WEFT_API int weft_distribution_bricks_of(int axes, const int64_t* shape, const int64_t* low, const int64_t* high,
                                         MPI_Comm on, weft_distribution** made);
/* The same grid and chains, or boxes, for another shape. */
WEFT_API int weft_distribution_with_shape(const weft_distribution* of, int axes, const int64_t* shape,
                                          weft_distribution** made);
WEFT_API void weft_distribution_destroy(weft_distribution* of);
WEFT_API int weft_distribution_text(const weft_distribution* of, char** text);
WEFT_API int weft_distribution_axes(const weft_distribution* of, int* axes);
WEFT_API int weft_distribution_shape(const weft_distribution* of, int64_t* shape);
/* Ranks that may own something. */
WEFT_API int weft_distribution_ranks(const weft_distribution* of, int* ranks);
/* What a rank owns: extents, their product, and along one axis the global index of every local position. */
WEFT_API int weft_distribution_local_shape(const weft_distribution* of, int rank, int64_t* shape);
WEFT_API int weft_distribution_local_size(const weft_distribution* of, int rank, int64_t* elements);
WEFT_API int weft_distribution_indices(const weft_distribution* of, int rank, int axis, int64_t* indices);
/* The box [low, high) that a rank owns; is_box = 0, low and high untouched, if its indices have gaps. */
WEFT_API int weft_distribution_box(const weft_distribution* of, int rank, int64_t* low, int64_t* high, int* is_box);
WEFT_API int weft_distribution_owner(const weft_distribution* of, const int64_t* index, int* rank);
/* Where the owner keeps the element: one local position per axis. */
WEFT_API int weft_distribution_position(const weft_distribution* of, const int64_t* index, int64_t* position);
/* Whether both give every rank below `ranks` the same indices, however they are written. */
WEFT_API int weft_distribution_same(const weft_distribution* a, const weft_distribution* b, int ranks, int* same);

/* ---- options: all that has a default, by name ---- */

typedef struct weft_options weft_options;

WEFT_API int weft_options_create(weft_options** made);
WEFT_API void weft_options_destroy(weft_options* of);
/* Values are texts: "2x3", "window,p2p", "4", "true". The names are in docs/c.md and in weft_names("options"). */
WEFT_API int weft_options_set(weft_options* of, const char* name, const char* value);
WEFT_API int weft_options_get(const weft_options* of, const char* name, char** value);
/* An exact distribution of the "in" or "out" side. */
WEFT_API int weft_options_set_distribution(weft_options* of, const char* name, const weft_distribution* value);
/* Of this rank's array on the "in" or "out" side: strides in elements, one per axis, one more in front for a batch. */
WEFT_API int weft_options_set_layout(weft_options* of, const char* name, int strides_count, const int64_t* strides,
                                     int64_t offset);
/* The same for an array with `before` and `after` ghost cells around the `local_shape` elements of each axis. */
WEFT_API int weft_options_set_ghosts(weft_options* of, const char* name, int axes, const int64_t* local_shape,
                                     const int64_t* before, const int64_t* after);
/* Called on rank 0 after each way that was timed; 0 stops measuring. */
typedef int (*weft_progress)(int64_t done, int64_t total, double best_seconds, const char* best, void* user);
WEFT_API int weft_options_set_progress(weft_options* of, weft_progress call, void* user);

struct weft_plan;
/* Both sides as those of another plan, also of another type, precision or batch. */
WEFT_API int weft_options_set_like(weft_options* of, const struct weft_plan* other);

/* Memory for the workspace of plans that never run at the same time: it grows to what the largest needs, or is the
 * caller's, who keeps it as long as the plans. The handle may be destroyed before the plans. */
typedef struct weft_arena weft_arena;
WEFT_API int weft_arena_create(weft_arena** made);
WEFT_API int weft_arena_over(void* memory, size_t bytes, weft_arena** made);
WEFT_API void weft_arena_destroy(weft_arena* of);
/* What it has grown to, or was given. */
WEFT_API int weft_arena_bytes(const weft_arena* of, size_t* bytes);
/* Null: a workspace of its own for each plan, as before. */
WEFT_API int weft_options_set_workspace(weft_options* of, const weft_arena* where);

/* ---- plans: made once, collectively, and run any number of times ---- */

typedef struct weft_plan weft_plan;

enum { WEFT_C2C = 0, WEFT_R2C = 1, WEFT_R2R = 2 };
enum { WEFT_F32 = 0, WEFT_F64 = 1 };
enum { WEFT_INPUT = 0, WEFT_OUTPUT = 1 };
enum { WEFT_FORWARD = 0, WEFT_BACKWARD = 1 };

/* Collective. options may be null. The shape is that of the real side for WEFT_R2C. WEFT_R2R are cosine and sine
 * transforms of real arrays, which the option "kinds" names. */
WEFT_API int weft_plan_create(int axes, const int64_t* shape, int transform, int precision, MPI_Comm on,
                              const weft_options* options, weft_plan** made);
WEFT_API void weft_plan_destroy(weft_plan* of);
/* Collective. The pointers are taken as they are: they have weft_plan_elements() elements. */
WEFT_API int weft_plan_forward(weft_plan* of, const void* in, void* out);
WEFT_API int weft_plan_backward(weft_plan* of, const void* in, void* out);
/* Collective. Sizes are checked first, on all ranks. */
WEFT_API int weft_plan_forward_bytes(weft_plan* of, const void* in, size_t in_bytes, void* out, size_t out_bytes);
WEFT_API int weft_plan_backward_bytes(weft_plan* of, const void* in, size_t in_bytes, void* out, size_t out_bytes);

/* Collective. Arrays in a device's memory, in the order of a stream of it (a cudaStream_t). */
WEFT_API int weft_plan_forward_on(weft_plan* of, const void* in, void* out, void* stream);
WEFT_API int weft_plan_backward_on(weft_plan* of, const void* in, void* out, void* stream);
/* function(index, element, number of the array in a batch, user): see weft_array_for_each and the next two. */
typedef void (*weft_visit)(const int64_t* index, void* element, int64_t component, void* user);
/* Collective. The function is done to every mode where forward stores it or backward loads it, in any order, by all
 * threads at the same time, maybe more than once and not always on the rank that owns the mode: what it does should
 * depend on its arguments alone. All ranks pass one. Backward does not write to its input. */
WEFT_API int weft_plan_forward_with(weft_plan* of, const void* in, void* out, weft_visit function, void* user);
WEFT_API int weft_plan_backward_with(weft_plan* of, const void* in, void* out, weft_visit function, void* user);

/* Several at once. These return as soon as they would have to wait for messages, so that another run can be started
 * meanwhile. Collective; all ranks start, wait for and destroy their runs in the same order, _test is free. The arrays
 * must stay, and be left alone, until the run is done; the plan may be destroyed before. What is wrong with a call on
 * any rank is told here or, between nodes, by _wait or _test of the run. */
typedef struct weft_started weft_started;
WEFT_API int weft_plan_start_forward(weft_plan* of, const void* in, void* out, weft_started** made);
WEFT_API int weft_plan_start_backward(weft_plan* of, const void* in, void* out, weft_started** made);
/* Goes on as far as that is possible without waiting for other ranks; done != 0: all of it. */
WEFT_API int weft_started_test(weft_started* of, int* done);
/* Returns when all is done. */
WEFT_API int weft_started_wait(weft_started* of);
/* Waits first. */
WEFT_API void weft_started_destroy(weft_started* of);

/* How the WEFT_INPUT or WEFT_OUTPUT side lies on the ranks; to be destroyed by the caller. */
WEFT_API int weft_plan_distribution(const weft_plan* of, int side, weft_distribution** made);
/* Elements from the pointer of this rank to past the last one, layout and batch included; bytes of each. */
WEFT_API int weft_plan_elements(const weft_plan* of, int side, int64_t* elements, size_t* element_bytes);
/* Strides of this rank's array, one per axis, with a batch of more than one its stride in front; and its offset. */
WEFT_API int weft_plan_layout(const weft_plan* of, int side, int64_t* strides, int64_t* offset);
/* What = "axes", "batch", "rank", "ranks" (that have data), "threads", "exchanges", "messages", "bytes",
 * "workspace_bytes", "timed", "kept", "led" (rank 0 runs the passes of all that share a device). Counts are this
 * rank's. */
WEFT_API int weft_plan_number(const weft_plan* of, const char* what, int64_t* number);
/* What = "algorithm", "exchange", "local", "schedule", "travels_as", "arrays", "wisdom", "network", or "explanation":
 * candidates and reasons. */
WEFT_API int weft_plan_text(const weft_plan* of, const char* what, char** text);
/* Seconds spent in each stage of forward since the plan was made or reset. */
WEFT_API int weft_plan_stages(const weft_plan* of, int* count);
WEFT_API int weft_plan_stage(const weft_plan* of, int number, char** name, double* seconds);
WEFT_API int weft_plan_reset_stages(weft_plan* of);

enum {
  WEFT_ACTIVITY_TRANSFORM = 0,
  WEFT_ACTIVITY_COPY = 1,
  WEFT_ACTIVITY_EXCHANGE = 2,
  WEFT_ACTIVITY_WAIT = 3,
  WEFT_ACTIVITY_DOWNLOAD = 4,
  WEFT_ACTIVITY_UPLOAD = 5
};
/* A stretch of time in which this rank did one thing; seconds by its monotonic clock. */
typedef struct weft_timeline_entry {
  int direction, call, position, activity;
  double begin, end;
} weft_timeline_entry;
WEFT_API int weft_plan_record_timeline(weft_plan* of, int on);
/* Entries in order of time: their number, and up to `room` of them. */
WEFT_API int weft_plan_timeline(const weft_plan* of, int64_t room, weft_timeline_entry* entries, int64_t* count);

/* What a plan would choose on so many ranks, and why: no MPI, no data. */
WEFT_API int weft_explain(int axes, const int64_t* shape, int transform, int precision, const weft_options* options,
                          int ranks, char** text);

/* ---- arrays: memory that knows its global indices ---- */

typedef struct weft_array weft_array;

/* Collective: zeros for one side of a plan, shared by the node's ranks where that is faster. In place, each has room
 * for both sides, and _over gives the other side's view of the same memory. */
WEFT_API int weft_array_create(const weft_plan* of, int side, weft_array** made);
WEFT_API int weft_array_over(const weft_plan* of, int side, const weft_array* memory, weft_array** made);
/* Zeros of any element size in any distribution. */
WEFT_API int weft_array_create_as(const weft_distribution* how, int rank, int64_t batch, size_t element_bytes,
                                  weft_array** made);
/* The same in any layout (strides_count = 0: compact), and over memory of the caller's, who keeps it (null: zeros of
 * the array's own). */
WEFT_API int weft_array_create_in(const weft_distribution* how, int rank, int64_t batch, size_t element_bytes,
                                  int strides_count, const int64_t* strides, int64_t offset, void* memory, size_t bytes,
                                  weft_array** made);
WEFT_API void weft_array_destroy(weft_array* of);
/* The elements of one in another of the same distribution and layout, wherever they lie: host or device. */
WEFT_API int weft_array_copy(const weft_array* from, const weft_array* to);
/* A copy in the host's memory. */
WEFT_API int weft_array_to_host(const weft_array* of, weft_array** made);
/* What plans take. */
WEFT_API void* weft_array_data(const weft_array* of);
/* Elements of this rank, all of a batch together. */
WEFT_API int64_t weft_array_size(const weft_array* of);
/* What = "axes", "batch", "rank", "element_bytes", "parts": of an element, 1 real, 2 complex, 0 if the array was made
 * without a plan and may be either. */
WEFT_API int weft_array_number(const weft_array* of, const char* what, int64_t* number);
WEFT_API int weft_array_distribution(const weft_array* of, weft_distribution** made);
WEFT_API int weft_array_local_shape(const weft_array* of, int64_t* shape);
WEFT_API int weft_array_layout(const weft_array* of, int64_t* strides, int64_t* offset);
WEFT_API int weft_array_indices(const weft_array* of, int axis, int64_t* indices);
/* The element of a global index, of one array of a batch; null if another rank has it. */
WEFT_API void* weft_array_at(const weft_array* of, const int64_t* index, int64_t component);
/* Calls visit(index, element, number of the array in a batch, user) for every element of this rank. */
WEFT_API int weft_array_for_each(const weft_array* of, weft_visit visit, void* user);

/* ---- ghost cells of boxes, in a periodic array ---- */

typedef struct weft_halo weft_halo;

/* Collective: `before` and `after` cells on each side of every rank's box, for elements that are real (parts = 1) or
 * complex (parts = 2) numbers of a precision. */
WEFT_API int weft_halo_create(const weft_distribution* how, const int64_t* before, const int64_t* after, int64_t batch,
                              int precision, int parts, MPI_Comm on, weft_halo** made);
WEFT_API void weft_halo_destroy(weft_halo* of);
/* Of this rank's array: elements with all ghost cells and the batch; strides and offset as of a plan, for
 * weft_options_set_layout. */
WEFT_API int weft_halo_elements(const weft_halo* of, int64_t* elements);
WEFT_API int weft_halo_layout(const weft_halo* of, int64_t* strides, int64_t* offset);
/* Collective: every ghost cell becomes the element that it stands for, or is added to it and set to zero. */
WEFT_API int weft_halo_fill(weft_halo* of, void* cells);
WEFT_API int weft_halo_accumulate(weft_halo* of, void* cells);

/* ---- redistribution of elements of any size ---- */

typedef struct weft_redistribution weft_redistribution;

/* Collective. Of the options, "exchange", "device", "batch", "interleaved", "in_place", "destroy_input" and the layouts
 * count; may be null. */
WEFT_API int weft_redistribution_create(const weft_distribution* from, const weft_distribution* to,
                                        size_t element_bytes, MPI_Comm on, const weft_options* options,
                                        weft_redistribution** made);
WEFT_API void weft_redistribution_destroy(weft_redistribution* of);
WEFT_API int weft_redistribution_run(weft_redistribution* of, const void* in, void* out);
/* What = "messages", "bytes", "workspace_bytes"; of this rank. */
WEFT_API int weft_redistribution_number(const weft_redistribution* of, const char* what, int64_t* number);

/* ---- whole arrays: on one rank, summed up, in files ---- */

/* Collective: the whole array on rank `root`, row-major, the arrays of a batch one after the other; and back. Elsewhere
 * `all` may be null. */
WEFT_API int weft_gather(const weft_array* x, MPI_Comm on, int root, void* all, size_t all_bytes);
WEFT_API int weft_scatter(const void* all, size_t all_bytes, const weft_array* x, MPI_Comm on, int root);
/* Collective: of all elements, which are real (parts = 1) or complex (parts = 2) numbers of a precision; sum[parts]. */
WEFT_API int weft_sum(const weft_array* x, int precision, int parts, MPI_Comm on, double* sum);

enum { WEFT_MAX_AXES = 16 };
typedef struct weft_stored {
  int axes;
  int64_t shape[WEFT_MAX_AXES], batch;
  int precision, parts;
} weft_stored;
/* Whether this build reads and writes HDF5 files. */
WEFT_API int weft_can_store(void);
/* Collective: one dataset in natural order, whatever the distribution. dataset = null: "data". */
WEFT_API int weft_write(const char* file, const char* dataset, const weft_array* x, int precision, int parts,
                        MPI_Comm on);
WEFT_API int weft_read(const char* file, const char* dataset, const weft_array* x, int precision, int parts,
                       MPI_Comm on);
/* Collective: what a dataset is, and how the array was distributed that was written; that may be null. */
WEFT_API int weft_look_into(const char* file, const char* dataset, MPI_Comm on, weft_stored* found,
                            char** distribution);

/* ---- what the modes of c2c and r2c plans mean; it may outlive the plan ---- */

typedef struct weft_spectral weft_spectral;
/* The modes with about the same |k|: its mean, their part of the mean square, and how many they are. */
typedef struct weft_shell {
  double wavenumber, power, modes;
} weft_shell;

/* Collective. Lengths: the period along each axis; null: 2 pi each. */
WEFT_API int weft_spectral_create(const weft_plan* of, const double* lengths, weft_spectral** made);
WEFT_API void weft_spectral_destroy(weft_spectral* of);
/* Of one global index along an axis. The odd one, for odd derivatives, is zero at n/2. */
WEFT_API int weft_spectral_wavenumber(const weft_spectral* of, int axis, int64_t index, double* k);
WEFT_API int weft_spectral_odd_wavenumber(const weft_spectral* of, int axis, int64_t index, double* k);
/* Of this rank's modes, by local position along an axis. */
WEFT_API int weft_spectral_wavenumbers(const weft_spectral* of, int axis, double* k);
WEFT_API int weft_spectral_odd_wavenumbers(const weft_spectral* of, int axis, double* k);
/* How many modes of the field each stands for; that of a mode is the product over the axes. */
WEFT_API int weft_spectral_weights(const weft_spectral* of, int axis, double* weights);
/* Collective, as all below; modes are arrays of the plan's output side. Of each array of a batch. */
WEFT_API int weft_spectral_mean_squares(const weft_spectral* of, const weft_array* modes, double* squares);
/* Shell s has |k| from (s - 1/2) width to (s + 1/2) width; 0: the smallest |k|. Their number, and up to `room`. */
WEFT_API int weft_spectral_spectrum(const weft_spectral* of, const weft_array* modes, double width, int64_t room,
                                    weft_shell* shells, int64_t* count);
WEFT_API int weft_spectral_derivative(const weft_spectral* of, const weft_array* f, const weft_array* result, int axis);
/* Vectors are batches with one array for each transformed axis. */
WEFT_API int weft_spectral_gradient(const weft_spectral* of, const weft_array* f, const weft_array* result);
WEFT_API int weft_spectral_divergence(const weft_spectral* of, const weft_array* f, const weft_array* result);
WEFT_API int weft_spectral_curl(const weft_spectral* of, const weft_array* f, const weft_array* result);
WEFT_API int weft_spectral_laplacian(const weft_spectral* of, const weft_array* f, const weft_array* result);
/* The result whose laplacian is f, without the zero mode. */
WEFT_API int weft_spectral_poisson(const weft_spectral* of, const weft_array* f, const weft_array* result);

/* ---- periodic convolutions, correlations and dealiased products ---- */

typedef struct weft_convolution weft_convolution;

/* Collective, as all below but destroy. Arguments are those of a plan of WEFT_C2C or WEFT_R2C, not in place. */
WEFT_API int weft_convolution_create(int axes, const int64_t* shape, int transform, int precision, MPI_Comm on,
                                     const weft_options* options, weft_convolution** made);
WEFT_API void weft_convolution_destroy(weft_convolution* of);
/* The plan that does the transforms, for arrays and reports; to be destroyed by the caller, in any order. Not
 * collective. */
WEFT_API int weft_convolution_plan(const weft_convolution* of, weft_plan** made);
/* By values in space, an array of the input's distribution without batch or layout; by modes of a forward transform
 * that is not scaled, of the output's distribution; or by a function that sets the element to what the mode is
 * multiplied by. */
WEFT_API int weft_convolution_kernel_in_space(weft_convolution* of, const weft_array* kernel);
WEFT_API int weft_convolution_kernel_in_modes(weft_convolution* of, const weft_array* kernel);
WEFT_API int weft_convolution_kernel_function(weft_convolution* of, weft_visit function, void* user);
/* Arrays of the input's side, which may be the same. */
WEFT_API int weft_convolution_convolve(weft_convolution* of, const weft_array* x, const weft_array* result);
WEFT_API int weft_convolution_correlate(weft_convolution* of, const weft_array* x, const weft_array* result);
/* Of two fields in space, given and returned by their modes; those with |k| of n/3 or more are left out. */
WEFT_API int weft_convolution_product(weft_convolution* of, const weft_array* a, const weft_array* b,
                                      const weft_array* result);

/* ---- sums of the plane waves inside an ellipsoid ---- */

typedef struct weft_plane_waves weft_plane_waves;

/* Collective, as all below but destroy, number and numbers. Waves of a grid with three axes whose numbers k have a sum
 * of (k/radius)^2 of at most 1; `bands` fields together. Of the options, those of how to do it count; may be null. */
WEFT_API int weft_plane_waves_create(const int64_t* shape, const double* radii, int64_t bands, int precision,
                                     MPI_Comm on, const weft_options* options, weft_plane_waves** made);
WEFT_API void weft_plane_waves_destroy(weft_plane_waves* of);
/* What = "waves", "coefficients" (waves of all bands), "messages", "bytes"; of this rank; "columns" of all. */
WEFT_API int weft_plane_waves_number(const weft_plane_waves* of, const char* what, int64_t* number);
/* The numbers of this rank's waves, three of each; coefficients have the same order, band after band. */
WEFT_API int weft_plane_waves_numbers(const weft_plane_waves* of, int64_t* k);
/* Zeros, in planes of the last axis over the ranks. */
WEFT_API int weft_plane_waves_field(const weft_plane_waves* of, weft_array** made);
/* field(x) = sum of c(k) exp(2 pi i (k0 x0 / n0 + k1 x1 / n1 + k2 x2 / n2)), and the other way. */
WEFT_API int weft_plane_waves_to_field(weft_plane_waves* of, const void* c, const weft_array* field);
WEFT_API int weft_plane_waves_to_waves(weft_plane_waves* of, const weft_array* field, void* c);

/* ---- what was learned by measuring ---- */

typedef struct weft_wisdom weft_wisdom;

/* A file that does not exist is empty wisdom. */
WEFT_API int weft_wisdom_load(const char* file, weft_wisdom** made);
WEFT_API int weft_wisdom_parse(const char* text, weft_wisdom** made);
WEFT_API void weft_wisdom_destroy(weft_wisdom* of);
WEFT_API int weft_wisdom_text(const weft_wisdom* of, char** text);
WEFT_API int weft_wisdom_entries(const weft_wisdom* of, int64_t* count);
WEFT_API int weft_wisdom_merge(weft_wisdom* into, const weft_wisdom* other);
/* Merged into the file; with replace != 0 what the file says to the same questions does not count. */
WEFT_API int weft_wisdom_save_into(const weft_wisdom* of, const char* file, int replace);

/* Collective: figures of the machine, for the option "machine". wisdom_file may be null. */
WEFT_API int weft_measure_machine(MPI_Comm on, const char* wisdom_file, char** text);

#ifdef __cplusplus
}
#endif

/* NOLINTEND */

#endif
