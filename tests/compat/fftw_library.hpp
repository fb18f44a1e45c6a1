// SPDX-License-Identifier: BSD-3-Clause
// One of two libraries with FFTW-MPI's functions, ours or FFTW's own, opened at run time so that a test has both.
#pragma once

#include <dlfcn.h>
#include <fftw3-mpi.h>

#include <stdexcept>
#include <string>
#include <type_traits>

#include "local/engines/fftw_api.hpp"

namespace weft::testing {

/// The types and names of a precision, and the functions of libfftw3 itself.
template <class Real>
struct fftw_names;
template <>
struct fftw_names<double> : local::fftw_api<double> {
  using kind = fftw_r2r_kind;
  static constexpr const char* prefix = "fftw_mpi_";
  static constexpr auto print = fftw_sprint_plan;
};
template <>
struct fftw_names<float> : local::fftw_api<float> {
  using kind = fftwf_r2r_kind;
  static constexpr const char* prefix = "fftwf_mpi_";
  static constexpr auto print = fftwf_sprint_plan;
};

template <class Real>
class fftw_library {
 public:
  using names = fftw_names<Real>;
  using plan = typename names::plan;
  using complex = typename names::complex;
  using kind = typename names::kind;
  using size = std::ptrdiff_t;

  explicit fftw_library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
    load(init, "init");
    load(local_size_many_transposed, "local_size_many_transposed");
    load(local_size_many, "local_size_many");
    load(local_size_many_1d, "local_size_many_1d");
    load(plan_many_dft, "plan_many_dft");
    load(plan_many_dft_r2c, "plan_many_dft_r2c");
    load(plan_many_dft_c2r, "plan_many_dft_c2r");
    load(plan_many_r2r, "plan_many_r2r");
    load(plan_many_transpose, "plan_many_transpose");
    load(execute_dft, "execute_dft");
    load(execute_dft_r2c, "execute_dft_r2c");
    load(execute_dft_c2r, "execute_dft_c2r");
    load(execute_r2r, "execute_r2r");
    init();
  }

  void (*init)();
  size (*local_size_many_transposed)(int, const size*, size, size, size, MPI_Comm, size*, size*, size*, size*);
  size (*local_size_many)(int, const size*, size, size, MPI_Comm, size*, size*);
  size (*local_size_many_1d)(size, size, MPI_Comm, int, unsigned, size*, size*, size*, size*);
  plan (*plan_many_dft)(int, const size*, size, size, size, complex*, complex*, MPI_Comm, int, unsigned);
  plan (*plan_many_dft_r2c)(int, const size*, size, size, size, Real*, complex*, MPI_Comm, unsigned);
  plan (*plan_many_dft_c2r)(int, const size*, size, size, size, complex*, Real*, MPI_Comm, unsigned);
  plan (*plan_many_r2r)(int, const size*, size, size, size, Real*, Real*, MPI_Comm, const kind*, unsigned);
  plan (*plan_many_transpose)(size, size, size, size, size, Real*, Real*, MPI_Comm, unsigned);
  void (*execute_dft)(plan, complex*, complex*);
  void (*execute_dft_r2c)(plan, Real*, complex*);
  void (*execute_dft_c2r)(plan, complex*, Real*);
  void (*execute_r2r)(plan, Real*, Real*);

 private:
  template <class Function>
  void load(Function& into, const std::string& name) {
    into = reinterpret_cast<Function>(dlsym(handle_, (names::prefix + name).c_str()));
    if (into == nullptr) throw std::runtime_error(dlerror());
  }
  void* handle_;
};

}  // namespace weft::testing
