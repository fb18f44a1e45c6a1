// SPDX-License-Identifier: BSD-3-Clause
// Functions of a user's own on arrays of a plan in a GPU's memory, compiled by CUDA's compiler: waves that know their
// global indices go to single modes, a derivative is taken there, and what comes back is compared on the host.
#include <cmath>
#include <cstdio>

#include "weft/device.hpp"
#include "weft/weft.hpp"

using weft::integer;

namespace {

constexpr integer n = 24;
constexpr double pi = 3.14159265358979323846;

/// A mode is two doubles to a device.
struct wave {
  __host__ __device__ void operator()(const integer* i, std::complex<double>& value, integer component) const {
    auto* const parts = reinterpret_cast<double*>(&value);
    parts[0] = sin(2 * pi * static_cast<double>((2 + component) * i[0] + 3 * i[1]) / n);
    parts[1] = 0;
  }
};

/// Times i k along axis 0.
struct derivative {
  __host__ __device__ void operator()(const integer* i, std::complex<double>& value) const {
    auto* const parts = reinterpret_cast<double*>(&value);
    const auto k = static_cast<double>(2 * i[0] < n ? i[0] : i[0] - n);
    const double real = parts[0];
    parts[0] = -k * parts[1];
    parts[1] = k * real;
  }
};

int run() {
  weft::problem what{.shape = {n, n, 10}, .batch = 2};
  what.in = "[b0 * *]";
  weft::c2c<double> plan(what, MPI_COMM_WORLD, {.device = "cuda", .scaling = weft::normalization::backward});
  auto x = plan.make_input();
  auto modes = plan.make_output();
  cudaStream_t stream{};
  if (cudaStreamCreate(&stream) != cudaSuccess) return 1;
  weft::for_each_on_device(x, wave{}, stream);
  plan.forward(x, modes, stream);
  weft::for_each_on_device(modes, derivative{}, stream);
  plan.backward(modes, x, stream);
  if (cudaStreamSynchronize(stream) != cudaSuccess) return 1;
  auto here = x.to_host();
  double worst = 0;
  here.for_each([&](std::span<const integer> i, std::complex<double>& value, integer component) {
    const double k = 2 + static_cast<double>(component);
    const double due = k * std::cos(2 * pi * (k * static_cast<double>(i[0]) + 3 * static_cast<double>(i[1])) / n);
    worst = std::max(worst, std::abs(value - due));
  });
  std::printf("largest error %.1e\n", worst);
  return worst < 1e-12 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int result = 1;
  try {
    result = run();
  } catch (const std::exception& e) {
    std::printf("FAILED: %s\n", e.what());
  }
  MPI_Finalize();
  return result;
}
