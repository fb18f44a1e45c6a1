// SPDX-License-Identifier: BSD-3-Clause
// The Poisson equation between two walls, periodic along them: sines across where the solution is zero on the walls,
// cosines where nothing flows through them, and exponentials along the walls. Checked against exact solutions.
//   mpirun -n 4 weft-poisson-walls [n [file for profiles from wall to wall]]
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>
#include <weft/weft.hpp>

namespace {

constexpr double pi = std::numbers::pi;

/// What is known of the solution u = X(x) exp(sin y) exp(cos z), for x between walls at 0 and 1.
struct walls {
  std::string kind;  // of the transform across
  int lowest;        // mode i across has the wavenumber pi (i + lowest)
  double mean;       // of u, which the equation leaves open where nothing flows
  double (*across)(double x);
  double (*bent)(double x);  // X''/X
};

const walls fixed{"dst2", 1, 0, [](double x) { return std::sin(pi * x) * std::exp(std::cos(pi * x)); },
                  [](double x) {
                    const double s = std::sin(pi * x), c = std::cos(pi * x);
                    return pi * pi * (s * s - 3 * c - 1);
                  }};
const walls closed{"dct2", 0, std::pow(std::cyl_bessel_i(0, 1.0), 3),
                   [](double x) { return std::exp(std::cos(pi * x)); },
                   [](double x) {
                     const double s = std::sin(pi * x), c = std::cos(pi * x);
                     return pi * pi * (s * s - c);
                   }};

struct profile {
  std::vector<double> exact, computed;  // from wall to wall, at y = z = 0; on rank 0
  double worst = 0;                     // error anywhere
};

profile solve(const walls& between, weft::integer n) {
  // Points are in the middles of cells: x = (i + 1/2) / n.
  weft::problem what{.shape = {n, n, n + 2}};
  what.kinds = {between.kind, "c2c", "r2c"};
  weft::r2c<double> plan(what, MPI_COMM_WORLD, {.scaling = weft::normalization::backward});
  auto u = plan.make_input();
  auto modes = plan.make_output();

  const double points = static_cast<double>(n);
  const auto x_of = [&](auto i) { return (static_cast<double>(i[0]) + 0.5) / points; };
  const auto y_of = [&](auto i) { return 2 * pi * static_cast<double>(i[1]) / points; };
  const auto z_of = [&](auto i) { return 2 * pi * static_cast<double>(i[2]) / (points + 2); };
  const auto exact = [&](auto i) { return between.across(x_of(i)) * std::exp(std::sin(y_of(i)) + std::cos(z_of(i))); };
  // The right side: u's own laplacian.
  u.for_each([&](auto i, double& v) {
    const double y = y_of(i), z = z_of(i);
    const double along = std::cos(y) * std::cos(y) - std::sin(y) + std::sin(z) * std::sin(z) - std::cos(z);
    v = exact(i) * (between.bent(x_of(i)) + along);
  });
  // Modes are divided by their eigenvalues while they are stored.
  plan.forward(u, modes, [&](auto i, std::complex<double>& v) {
    const double kx = pi * static_cast<double>(i[0] + between.lowest);
    const auto ky = static_cast<double>(2 * i[1] <= n ? i[1] : i[1] - n), kz = static_cast<double>(i[2]);
    const double eigenvalue = -(kx * kx + ky * ky + kz * kz);
    v = eigenvalue == 0 ? 0 : v / eigenvalue;
  });
  plan.backward(modes, u);

  profile found;
  u.for_each([&](auto i, double& v) {
    v += between.mean;
    found.worst = std::max(found.worst, std::abs(v - exact(i)));
  });
  MPI_Allreduce(MPI_IN_PLACE, &found.worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const std::vector<double> all = weft::gather(u, MPI_COMM_WORLD);  // on rank 0
  for (weft::integer i = 0; i < n && !all.empty(); ++i) {
    found.exact.push_back(exact(std::vector<weft::integer>{i, 0, 0}));
    found.computed.push_back(all[static_cast<std::size_t>(i * n * (n + 2))]);
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const weft::integer n = argc > 1 ? std::atol(argv[1]) : 32;
  const profile zero = solve(fixed, n), flat = solve(closed, n);
  const bool good = zero.worst < 1e-10 && flat.worst < 1e-10;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::printf("%s: off the exact solution by %.1e between fixed walls, %.1e between closed ones\n",
                good ? "ok" : "wrong", zero.worst, flat.worst);
    std::FILE* file = argc > 2 ? std::fopen(argv[2], "w") : nullptr;
    for (std::size_t i = 0; file != nullptr && i < zero.exact.size(); ++i) {
      std::fprintf(file, "%g %g %g %g %g\n", (static_cast<double>(i) + 0.5) / static_cast<double>(n), zero.computed[i],
                   zero.exact[i], flat.computed[i], flat.exact[i]);
    }
    if (file != nullptr) std::fclose(file);
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
