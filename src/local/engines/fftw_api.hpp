// SPDX-License-Identifier: BSD-3-Clause
// FFTW's two precisions behind one name, for all that call it: the engine, the programs that compare, the tests.
#pragma once

#include <fftw3.h>

namespace weft::local {

template <class Real>
struct fftw_api;

// One list of names for both precisions, as fftw3.h itself has it.
#define WEFT_FFTW_API(real, prefixed)                                       \
  template <>                                                               \
  struct fftw_api<real> {                                                   \
    using complex = prefixed(complex);                                      \
    using plan = prefixed(plan);                                            \
    static constexpr auto plan_c2c = prefixed(plan_dft);                    \
    static constexpr auto plan_r2c = prefixed(plan_dft_r2c);                \
    static constexpr auto plan_many_c2c = prefixed(plan_many_dft);          \
    static constexpr auto plan_many_r2c = prefixed(plan_many_dft_r2c);      \
    static constexpr auto plan_many_c2r = prefixed(plan_many_dft_c2r);      \
    static constexpr auto plan_many_r2r = prefixed(plan_many_r2r);          \
    static constexpr auto destroy = prefixed(destroy_plan);                 \
    static constexpr auto execute = prefixed(execute);                      \
    static constexpr auto execute_c2c = prefixed(execute_dft);              \
    static constexpr auto execute_r2c = prefixed(execute_dft_r2c);          \
    static constexpr auto execute_c2r = prefixed(execute_dft_c2r);          \
    static constexpr auto execute_r2r = prefixed(execute_r2r);              \
    static constexpr auto init_threads = prefixed(init_threads);            \
    static constexpr auto plan_with_threads = prefixed(plan_with_nthreads); \
    static constexpr auto set_time_limit = prefixed(set_timelimit);         \
  }
WEFT_FFTW_API(double, FFTW_MANGLE_DOUBLE);
WEFT_FFTW_API(float, FFTW_MANGLE_FLOAT);
#undef WEFT_FFTW_API

}  // namespace weft::local
