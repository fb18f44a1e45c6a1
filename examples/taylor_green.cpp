// SPDX-License-Identifier: BSD-3-Clause
// The Taylor-Green vortex: an incompressible fluid that starts as one mode and makes smaller and smaller ones, by a
// pseudo-spectral method, dealiased by the 3/2 rule. Checked against the series of G. I. Taylor and A. E. Green (1937,
// equation 43).
//   mpirun -n 4 weft-taylor-green [n [Reynolds number [end of time [file for the curve]]]]
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <vector>
#include <weft/weft.hpp>

namespace {

using mode = std::complex<double>;
using field = weft::array<double>;
using modes = weft::array<mode>;

/// Three components in one batch; modes are scaled, so that they do not depend on n. Products of two thirds of the
/// modes alias only into what is not kept.
struct fluid {
  weft::r2c<double> plan;
  weft::spectral<double> of;
  weft::integer n;
  double viscosity;
  field velocity, vorticity;
  modes curl;

  fluid(weft::integer points, double reynolds, MPI_Comm on)
      : plan({.shape = {points, points, points}, .modes = weft::extents(3, 2 * points / 3), .batch = 3}, on,
             {.scaling = weft::normalization::forward}),
        of(plan),
        n(points),
        viscosity(1 / reynolds),
        velocity(plan.make_input()),
        vorticity(plan.make_input()),
        curl(plan.make_output()) {}

  /// u x curl(u), less its gradient part, which is the pressure's, and friction.
  void rate(const modes& u, modes& result) {
    of.curl(u, curl);
    plan.backward(u, velocity);
    plan.backward(curl, vorticity);
    const auto size = velocity.size() / 3;
    for (weft::integer k = 0; k < size; ++k) {
      std::array<double, 3> v{}, w{};
      for (std::size_t c = 0; c < 3; ++c) v[c] = velocity[c * size + k], w[c] = vorticity[c * size + k];
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t d = (c + 1) % 3, e = (c + 2) % 3;
        velocity[c * size + k] = v[d] * w[e] - v[e] * w[d];
      }
    }
    plan.forward(velocity, result);
    project(u, result);
  }

  void project(const modes& u, modes& result) const {
    const auto &x = of.wavenumbers(0), &y = of.wavenumbers(1), &z = of.wavenumbers(2);
    std::size_t at = 0;
    const std::size_t size = x.size() * y.size() * z.size();
    for (const double kx : x) {
      for (const double ky : y) {
        for (const double kz : z) {
          const std::array<double, 3> k{kx, ky, kz};
          const double square = kx * kx + ky * ky + kz * kz;
          mode along = 0;
          for (std::size_t c = 0; c < 3; ++c) along += k[c] * result[c * size + at];
          for (std::size_t c = 0; c < 3; ++c) {
            if (square > 0) result[c * size + at] -= k[c] * along / square;
            result[c * size + at] -= viscosity * square * u[c * size + at];
          }
          ++at;
        }
      }
    }
  }

  /// Energy and dissipation per volume.
  std::array<double, 2> state_of(const modes& u) {
    const auto sum = [](const std::vector<double>& all) { return all[0] + all[1] + all[2]; };
    of.curl(u, curl);
    return {sum(of.mean_squares(u)) / 2, viscosity * sum(of.mean_squares(curl))};
  }
};

/// Of the dissipation, relative to that at the beginning.
double series(double t, double r) {
  const double q = r * r;
  return 1 - 6 * t / r + (5.0 / 48 + 18 / q) * t * t - (5.0 / 3 + 36 / q) * t * t * t / r +
         (50.0 / (99 * 64) + 1835.0 / (9 * 16 * q) + 54 / (q * q)) * std::pow(t, 4) -
         (361.0 / (44 * 32) + 761.0 / (12 * q) + 324 / (5 * q * q)) * std::pow(t, 5) / r;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto number = [&](int i, double usual) { return argc > i ? std::atof(argv[i]) : usual; };
  const double reynolds = number(2, 20), end = number(3, 1);
  bool good = true;
  {
    fluid f(static_cast<weft::integer>(number(1, 24)), reynolds, MPI_COMM_WORLD);
    modes u = f.plan.make_output(), here = f.plan.make_output(), rate = f.plan.make_output(),
          sum = f.plan.make_output();
    f.velocity.for_each([&](auto i, double& v, auto c) {
      const double h = 2 * std::numbers::pi / static_cast<double>(f.n), x = h * i[0], y = h * i[1], z = h * i[2];
      v = c == 0 ? std::sin(x) * std::cos(y) * std::cos(z) : c == 1 ? -std::cos(x) * std::sin(y) * std::cos(z) : 0;
    });
    f.plan.forward(f.velocity, u);
    const int steps = static_cast<int>(std::ceil(end / std::min(0.025, 1.0 / static_cast<double>(f.n))));
    const double step = end / steps;
    std::FILE* curve = argc > 4 && f.plan.rank() == 0 ? std::fopen(argv[4], "w") : nullptr;
    const auto begin = f.state_of(u);
    double worst = 0, lost = 0;
    for (int s = 0; s <= steps; ++s) {
      const double t = s * step;
      const auto [energy, dissipation] = f.state_of(u);
      const double by_series = begin[1] * series(t, reynolds);
      if (t <= 0.6) worst = std::max(worst, std::abs(dissipation - by_series) / begin[1]);
      if (curve != nullptr) std::fprintf(curve, "%g %.9g %.9g %.9g\n", t, energy, dissipation, by_series);
      // Runge and Kutta's four steps; sum is u + step/6 (k1 + 2 k2 + 2 k3 + k4).
      std::copy(u.begin(), u.end(), sum.begin());
      std::copy(u.begin(), u.end(), here.begin());
      for (int stage = 0; stage < 4; ++stage) {
        f.rate(here, rate);
        const double weight = stage == 0 || stage == 3 ? step / 6 : step / 3, ahead = stage == 2 ? step : step / 2;
        for (weft::integer k = 0; k < u.size(); ++k) {
          sum[k] += weight * rate[k];
          here[k] = u[k] + ahead * rate[k];
        }
      }
      std::copy(sum.begin(), sum.end(), u.begin());
      const auto next = f.state_of(u);
      lost = std::max(lost, std::abs((energy - next[0]) / step - (dissipation + next[1]) / 2) / begin[1]);
    }
    if (curve != nullptr) std::fclose(curve);
    good = worst < 5e-3 && lost < 1e-3;
    const char* const verdict = good ? "ok" : "wrong";
    if (f.plan.rank() == 0) std::printf("%s: off the series by %.1e, budget of energy by %.1e\n", verdict, worst, lost);
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
