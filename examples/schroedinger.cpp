// SPDX-License-Identifier: BSD-3-Clause
// A wave packet in a harmonic trap, by split steps: half a step of the potential in space, a step of the kinetic energy
// in modes, half a step of the potential. The arrays are cyclic on both sides, so that each transform exchanges data
// once and nothing is ever redistributed. Checked against the exact solution: a coherent state, which swings and keeps
// its shape.
//   mpirun -n 4 weft-schroedinger [n [steps per period [file for the orbit]]]
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <weft/weft.hpp>

namespace {

using value = std::complex<double>;
constexpr double pi = std::numbers::pi, length = 20;

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // One exchange is enough where the square of the number of ranks divides the extent.
  const weft::integer square = weft::integer{ranks} * ranks;
  const weft::integer n = ((argc > 1 ? std::atol(argv[1]) : 64) + square - 1) / square * square;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 200;
  bool good = true;
  {
    weft::problem what{.shape = {n, n}};
    what.in = "[c0 *]@" + std::to_string(ranks);
    what.out = "same";
    weft::c2c<double> plan(what, MPI_COMM_WORLD, {.scaling = weft::normalization::backward});
    auto psi = plan.make_input();
    auto modes = plan.make_output();
    const weft::spectral<double> of(plan, {length, length});

    const double h = length / static_cast<double>(n), step = 2 * pi / steps;
    const auto place = [&](weft::integer i) { return h * static_cast<double>(i) - length / 2; };
    // Starts at (3, 0) with momentum (0, 2), and goes round an ellipse.
    const auto exact = [&](double x, double y, double t) {
      const double a = 3 * std::cos(t), b = 2 * std::sin(t), p = -3 * std::sin(t), q = 2 * std::cos(t);
      const double phase = p * (x - a / 2) + q * (y - b / 2) - t;
      return std::polar(std::exp(-((x - a) * (x - a) + (y - b) * (y - b)) / 2) / std::sqrt(pi), phase);
    };
    psi.for_each([&](auto i, value& v) { v = exact(place(i[0]), place(i[1]), 0); });

    const auto potential = [&](double time) {
      psi.for_each([&](auto i, value& v) {
        const double x = place(i[0]), y = place(i[1]);
        v *= std::polar(1.0, -time * (x * x + y * y) / 2);
      });
    };
    // Done to each mode while it is stored: no pass of its own.
    const auto kinetic = [&](auto i, value& v) {
      const double kx = of.wavenumber(0, i[0]), ky = of.wavenumber(1, i[1]);
      v *= std::polar(1.0, -step * (kx * kx + ky * ky) / 2);
    };

    std::FILE* orbit = argc > 3 && plan.rank() == 0 ? std::fopen(argv[3], "w") : nullptr;
    double worst = 0;
    for (int s = 0; s < steps; ++s) {
      potential(step / 2);
      plan.forward(psi, modes, kinetic);
      plan.backward(modes, psi);
      potential(step / 2);
      if (s % 5 != 4) continue;
      double sums[4] = {};  // norm, place, and the distance from the exact solution
      psi.for_each([&](auto i, value& v) {
        const double x = place(i[0]), y = place(i[1]);
        sums[0] += h * h * std::norm(v);
        sums[1] += h * h * std::norm(v) * x;
        sums[2] += h * h * std::norm(v) * y;
        sums[3] += h * h * std::norm(v - exact(x, y, (s + 1) * step));
      });
      MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      worst = std::max(worst, std::sqrt(sums[3]));
      good = good && std::abs(sums[0] - 1) < 1e-10;
      if (orbit != nullptr) std::fprintf(orbit, "%g %g\n", sums[1], sums[2]);
    }
    if (orbit != nullptr) {
      std::fclose(orbit);
    }
    // The error of a split step is of second order.
    good = good && worst < 40 * step * step && plan.input() == plan.output() && plan.report().exchanges <= 1;
    if (plan.rank() == 0) {
      std::printf("%s: %lldx%lld, %d exchange per transform, distance from the exact solution %.1e\n",
                  good ? "ok" : "wrong", static_cast<long long>(n), static_cast<long long>(n), plan.report().exchanges,
                  worst);
    }
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
