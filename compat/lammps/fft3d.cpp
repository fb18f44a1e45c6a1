// SPDX-License-Identifier: BSD-3-Clause
// LAMMPS on Weft without building LAMMPS: liblammps exports the C functions of its own 3-d FFT (KSPACE/fft3d.h), and
// these, preloaded, come before them. The signatures are those of LAMMPS 29Sep2021; FFT_SCALAR must be double.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

#include "weft_heffte/engine.hpp"

#define WEFT_EXPORT extern "C" __attribute__((visibility("default")))

using heffte::direction;
using heffte::scale;
using heffte::on_weft::box;
using heffte::on_weft::engine;

namespace {

long transforms = 0;

/// With $WEFT_LAMMPS_REPORT=1 the first process says how much Weft did.
struct reporter {
  reporter() = default;
  reporter(const reporter&) = delete;
  reporter& operator=(const reporter&) = delete;
  ~reporter() {
    const char* const asked = std::getenv("WEFT_LAMMPS_REPORT");
    if (first && asked != nullptr && *asked == '1')
      std::fprintf(stderr, "Weft for LAMMPS: %ld transforms\n", transforms);
  }
  bool first = false;
};
reporter at_end;

/// LAMMPS's interface has no way to say that something failed.
template <class Function>
void run_or_abort(Function&& function) {
  try {
    function();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "Weft for LAMMPS: %s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

}  // namespace

/// Data go from the in-box to the out-box whatever the sign, so that each sign has an engine of its own.
struct fft_plan_3d {
  MPI_Comm comm;
  box in, out;
  bool scaled;
  std::unique_ptr<engine> by_sign[2];
};

WEFT_EXPORT fft_plan_3d* fft_3d_create_plan(MPI_Comm comm, int /*nfast*/, int /*nmid*/, int /*nslow*/, int in_ilo,
                                            int in_ihi, int in_jlo, int in_jhi, int in_klo, int in_khi, int out_ilo,
                                            int out_ihi, int out_jlo, int out_jhi, int out_klo, int out_khi, int scaled,
                                            int permute, int* nbuf, int /*usecollective*/) {
  fft_plan_3d* made = nullptr;
  run_or_abort([&] {
    // The fast index is axis 0. permute moves the order of the result on by one or two places.
    const box in{{in_ilo, in_jlo, in_klo}, {in_ihi, in_jhi, in_khi}, {0, 1, 2}};
    const box out{
        {out_ilo, out_jlo, out_klo}, {out_ihi, out_jhi, out_khi}, {permute % 3, (permute + 1) % 3, (permute + 2) % 3}};
    made = new fft_plan_3d{comm, in, out, scaled != 0, {}};
    const auto fourier = heffte::kind_of_transform::fourier;
    made->by_sign[0] = std::make_unique<engine>(in, out, -1, fourier, comm);
    made->by_sign[1] = std::make_unique<engine>(out, in, -1, fourier, comm);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    at_end.first = rank == 0;
    *nbuf = 0;
  });
  return made;
}

WEFT_EXPORT void fft_3d(void* in, void* out, int flag, fft_plan_3d* p) {
  ++transforms;
  run_or_abort([&] {
    if (flag == 1) {
      p->by_sign[0]->run(direction::forward, {false, false}, 1, in, out, nullptr, scale::none);
    } else {
      p->by_sign[1]->run(direction::backward, {false, false}, 1, in, out, nullptr,
                         p->scaled ? scale::full : scale::none);
    }
  });
}

WEFT_EXPORT void fft_3d_destroy_plan(fft_plan_3d* p) { delete p; }

/// LAMMPS times one-dimensional transforms alone by it (kspace_modify fftbench) and throws the data away. There are
/// none alone here.
WEFT_EXPORT void fft_1d_only(void* /*data*/, int /*elements*/, int /*flag*/, fft_plan_3d* /*p*/) {}
