// The functions that only the Fortran module calls.
#pragma once

#include "weft/weft.h"

extern "C" {

WEFT_API int weft_f_plan_create(int axes, const int64_t* shape, int transform, int precision, MPI_Fint on,
                                const weft_options* options, weft_plan** made);
WEFT_API int weft_f_plan_in_place(weft_plan* of, int backward, void* x);
WEFT_API int weft_f_plan_arrays(weft_plan* of, int backward, const weft_array* in, const weft_array* out);
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
