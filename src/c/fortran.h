/* SPDX-License-Identifier: BSD-3-Clause */
// The functions that only the Fortran module calls.
#pragma once

#include <limits>

#include "weft/weft.h"

namespace weft::c {

/// Of pointers that are taken as they are.
inline constexpr int64_t any_bytes = std::numeric_limits<int64_t>::max();

}  // namespace weft::c

extern "C" {

/* What the module itself finds wrong: keeps the text for weft_last_error(), and returns WEFT_BAD_ARGUMENT. */
WEFT_API int weft_f_complain(const char* text);
WEFT_API int weft_f_plan_create(int axes, const int64_t* shape, int transform, int precision, MPI_Fint on,
                                const weft_options* options, weft_plan** made);
WEFT_API int weft_f_plan_arrays(weft_plan* of, int backward, const weft_array* in, const weft_array* out, void* stream);
/* Fortran knows how many bytes an array has, or that nobody knows: the most there can be. -1: it has gaps. */
WEFT_API int weft_f_plan_run(weft_plan* of, int backward, const void* in, int64_t in_bytes, void* out,
                             int64_t out_bytes);
WEFT_API int weft_f_plan_with(weft_plan* of, int backward, const void* in, int64_t in_bytes, void* out,
                              int64_t out_bytes, weft_visit function, void* user);
WEFT_API int weft_f_plan_start(weft_plan* of, int backward, const void* in, int64_t in_bytes, void* out,
                               int64_t out_bytes, weft_started** made);
WEFT_API int weft_f_redistribution_run(weft_redistribution* of, const void* in, int64_t in_bytes, void* out,
                                       int64_t out_bytes);
WEFT_API int weft_f_halo_run(weft_halo* of, int accumulate, void* cells, int64_t bytes);
WEFT_API int weft_f_plane_waves_to_field(weft_plane_waves* of, const void* c, int64_t bytes, const weft_array* field);
WEFT_API int weft_f_plane_waves_to_waves(weft_plane_waves* of, const weft_array* field, void* c, int64_t bytes);
WEFT_API int weft_f_plan_start_arrays(weft_plan* of, int backward, const weft_array* in, const weft_array* out,
                                      weft_started** made);
WEFT_API int weft_f_gather(const weft_array* x, MPI_Fint on, int root, void* all);
WEFT_API int weft_f_scatter(const void* all, const weft_array* x, MPI_Fint on, int root);
WEFT_API int weft_f_sum(const weft_array* x, int precision, int parts, MPI_Fint on, double* sum);
WEFT_API int weft_f_write(const char* file, const char* dataset, const weft_array* x, int precision, int parts,
                          MPI_Fint on);
WEFT_API int weft_f_read(const char* file, const char* dataset, const weft_array* x, int precision, int parts,
                         MPI_Fint on);
WEFT_API int weft_f_look_into(const char* file, const char* dataset, MPI_Fint on, weft_stored* found,
                              char** distribution);
/* Components of vectors in the order of Fortran's axes. */
WEFT_API int weft_f_spectral_gradient(const weft_spectral* of, const weft_array* f, const weft_array* result);
WEFT_API int weft_f_spectral_divergence(const weft_spectral* of, const weft_array* f, const weft_array* result);
WEFT_API int weft_f_spectral_curl(const weft_spectral* of, const weft_array* f, const weft_array* result);
WEFT_API int weft_f_convolution_create(int axes, const int64_t* shape, int transform, int precision, MPI_Fint on,
                                       const weft_options* options, weft_convolution** made);
WEFT_API int weft_f_convolution_kernel_function(weft_convolution* of, int axes, weft_visit function, void* user);
WEFT_API int weft_f_plane_waves_create(const int64_t* shape, const double* radii, int64_t bands, int precision,
                                       MPI_Fint on, const weft_options* options, weft_plane_waves** made);
WEFT_API int weft_f_explain(int axes, const int64_t* shape, int transform, int precision, const weft_options* options,
                            int ranks, char** text);
WEFT_API int weft_f_redistribution_create(const weft_distribution* from, const weft_distribution* to,
                                          size_t element_bytes, MPI_Fint on, const weft_options* options,
                                          weft_redistribution** made);
WEFT_API int weft_f_distribution_bricks_of(int axes, const int64_t* shape, const int64_t* low, const int64_t* high,
                                           MPI_Fint on, weft_distribution** made);
WEFT_API int weft_f_halo_create(const weft_distribution* how, const int64_t* before, const int64_t* after,
                                int64_t batch, int precision, int parts, MPI_Fint on, weft_halo** made);
WEFT_API int weft_f_measure_machine(MPI_Fint on, const char* wisdom_file, char** text);
WEFT_API int weft_f_distribution_parse(const char* text, int axes, const int64_t* shape, int ranks,
                                       weft_distribution** made);
WEFT_API int weft_f_distribution_text(const weft_distribution* of, char** text);
}
