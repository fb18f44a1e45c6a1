// SPDX-License-Identifier: BSD-3-Clause
// A random field with a given spectrum: white noise, whose modes are multiplied by a function of |k| while they are
// stored, and the spectrum of what comes back. The field is the same on any number of ranks. Checked against the
// spectrum that was asked for, and by Parseval's identity.
//   mpirun -n 4 weft-spectrum [n [file for the spectrum [HDF5 file for the field]]]
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <weft/weft.hpp>

namespace {

/// Normally distributed, by the number of the element alone (splitmix64, Box and Muller).
double noise(weft::integer number) {
  const auto unit = [&](std::uint64_t which) {
    std::uint64_t z = (2 * static_cast<std::uint64_t>(number) + which) * 0x9e3779b97f4a7c15U + 0x1234567;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return (static_cast<double>((z ^ (z >> 31U)) >> 11U) + 0.5) * 0x1p-53;
  };
  return std::sqrt(-2 * std::log(unit(0))) * std::cos(2 * std::numbers::pi * unit(1));
}

/// The power of a mode, so that a shell's, which has about k^2 of them, falls as k^(-5/3).
double power(double k) { return k > 0 ? std::pow(k, -11.0 / 3) : 0; }

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const weft::integer n = argc > 1 ? std::atol(argv[1]) : 32;
  bool good = true;
  {
    weft::r2c<double> plan({n, n, n}, MPI_COMM_WORLD, {.scaling = weft::normalization::ortho});
    const weft::spectral<double> of(plan);
    auto x = plan.make_input();
    auto modes = plan.make_output();
    x.for_each([&](auto i, double& v) { v = noise((i[0] * n + i[1]) * n + i[2]); });
    plan.forward(x, modes, [&](auto i, std::complex<double>& v) {
      const double kx = of.wavenumber(0, i[0]), ky = of.wavenumber(1, i[1]), kz = of.wavenumber(2, i[2]);
      v *= std::sqrt(power(std::sqrt(kx * kx + ky * ky + kz * kz)));
    });
    const auto shells = of.spectrum(modes);
    const double mean_square = of.mean_squares(modes)[0];
    plan.backward(modes, x);
    double squares = 0;
    x.for_each([&](auto, const double& v) { squares += v * v; });
    MPI_Allreduce(MPI_IN_PLACE, &squares, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const double elements = static_cast<double>(n * n * n), parseval = squares / elements / mean_square - 1;
    good = std::abs(parseval) < 1e-12 && std::abs(weft::sum(x, MPI_COMM_WORLD)) < 1e-9 * elements;

    std::FILE* file = argc > 2 && plan.rank() == 0 ? std::fopen(argv[2], "w") : nullptr;
    double worst = 0;
    for (std::size_t s = 1; s < shells.size(); ++s) {
      const auto& shell = shells[s];
      if (file != nullptr) std::fprintf(file, "%g %g %g\n", shell.wavenumber, shell.power, shell.modes);
      if (2 * static_cast<weft::integer>(s) > n) continue;
      // The mean of so many independent squares is off by about sqrt(4/modes), as half of the modes are conjugates; and
      // the power changes across the shell, which is half a wavenumber wide on either side.
      const double expected = power(shell.wavenumber) / elements, k = static_cast<double>(s);
      const double allowed = 5 * std::sqrt(4 / shell.modes) + 3 / (k * k);
      worst = std::max(worst, std::abs(shell.average() / expected - 1) / allowed);
    }
    if (file != nullptr) std::fclose(file);
    good = good && worst < 1;
    if (argc > 3) weft::write(argv[3], x, MPI_COMM_WORLD);
    if (plan.rank() == 0) {
      std::printf("%s: Parseval to %.1e, shells off by at most %.0f %% of what chance allows\n", good ? "ok" : "wrong",
                  std::abs(parseval), 100 * worst);
    }
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
