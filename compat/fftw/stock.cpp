// SPDX-License-Identifier: BSD-3-Clause
#include "stock.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace weft::fftw {

namespace {

std::string beside_libfftw3() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<void*>(&WEFT_X(execute)), &found) == 0 || found.dli_fname == nullptr) return {};
  const std::string library = found.dli_fname;
  const auto slash = library.rfind('/');
  return slash == std::string::npos ? std::string() : library.substr(0, slash + 1) + mpi_library;
}

std::vector<std::string> places() {
  if (const char* const named = secure_getenv("WEFT_FFTW_STOCK")) {
    return std::string(named) == "none" ? std::vector<std::string>{} : std::vector<std::string>{named};
  }
  return {beside_libfftw3(), WEFT_FFTW_STOCK_PATH};
}

template <class Function>
bool found(void* in, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(in, name));
  return function != nullptr;
}

/// All functions, if this is an FFTW-MPI, for the MPI that runs, and not this library itself.
bool take(void* in, stock_library& into) {
  // The executable may have a copy of MPI's constants, so that RTLD_DEEPBIND is of no use; without it, FFTW's library
  // calls the process's MPI whatever it was linked with.
  const void* const its_mpi = dlsym(in, "MPI_Comm_dup");
  if (its_mpi == nullptr || its_mpi != dlsym(RTLD_DEFAULT, "MPI_Comm_dup")) return false;
#define WEFT_TAKE(name) found(in, into.name, WEFT_STRING(WEFT_XM(name)))
  return WEFT_TAKE(init) && into.init != &WEFT_XM(init) && WEFT_TAKE(cleanup) && WEFT_TAKE(gather_wisdom) &&
         WEFT_TAKE(broadcast_wisdom) && WEFT_TAKE(local_size_many_transposed) && WEFT_TAKE(local_size_many_1d) &&
         WEFT_TAKE(plan_many_transpose) && WEFT_TAKE(plan_many_dft) && WEFT_TAKE(plan_many_dft_r2c) &&
         WEFT_TAKE(plan_many_dft_c2r) && WEFT_TAKE(plan_many_r2r) && WEFT_TAKE(execute_r2r);
#undef WEFT_TAKE
}

stock_library look() {
  for (const auto& path : places()) {
    if (path.find('/') == std::string::npos) continue;  // by its bare name the process finds ours
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    stock_library one;
    if (take(library, one)) {
      one.path = path;
      return one;
    }
    dlclose(library);
  }
  return {};
}

}  // namespace

const stock_library& stock() {
  static const stock_library library = look();
  return library;
}

bool slots_are_known() {
  static const bool known = [] {
    int minor = -1;
    return std::sscanf(WEFT_X(version), "fftw-3.3.%d", &minor) == 1 && minor >= 4;
  }();
  return known;
}

}  // namespace weft::fftw
