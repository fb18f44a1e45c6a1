// SPDX-License-Identifier: BSD-3-Clause
// Forces between particles through a mesh. Every rank has a brick of the box with ghost cells around it, as simulations
// have. Particles give their mass to the eight cells around them (cloud in cell), Weft solves for the potential and
// differentiates it in modes, and particles take the force from the same eight cells. Checked: forces add up to zero,
// and those of a wave of displacements are what linear theory says, whatever the bricks.
//   mpirun -n 4 weft-particle-mesh [n [file for the forces]]
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <vector>
#include <weft/weft.hpp>

namespace {

using weft::integer;
using triple = std::array<double, 3>;
constexpr double pi = std::numbers::pi;

/// A brick with a layer of cells behind it along each axis, which belong to neighbours.
struct brick {
  weft::grid on;
  weft::extents low, size, cells;
  std::vector<double> values;
  int before[3] = {}, after[3] = {};

  brick(const weft::distribution& how, const weft::grid& g, int rank) : on(g) {
    const auto& box = how.boxes()[static_cast<std::size_t>(rank)];
    low = box.low;
    for (std::size_t l = 0; l < 3; ++l) size.push_back(box.high[l] - box.low[l]), cells.push_back(size[l] + 1);
    values.resize(static_cast<std::size_t>(weft::volume(cells)));
    for (int l = 0; l < 3; ++l) {
      auto point = on.coordinates(rank);
      const int here = point[static_cast<std::size_t>(l)], count = on[l];
      point[static_cast<std::size_t>(l)] = (here + count - 1) % count;
      before[l] = on.rank(point);
      point[static_cast<std::size_t>(l)] = (here + 1) % count;
      after[l] = on.rank(point);
    }
  }
  double& at(integer i, integer j, integer k) { return values[(i * cells[1] + j) * cells[2] + k]; }
  /// The cells at one position along an axis, in order.
  template <class Visit>
  void each_in_plane(std::size_t axis, integer position, Visit visit) {
    weft::extents from(3, 0), to = cells;
    from[axis] = position, to[axis] = position + 1;
    for (integer i = from[0]; i < to[0]; ++i)
      for (integer j = from[1]; j < to[1]; ++j)
        for (integer k = from[2]; k < to[2]; ++k) visit(at(i, j, k));
  }
  /// Axis by axis, so that corners go on: adds the layers behind to the neighbours' first cells, or gets those.
  void exchange(bool adds) {
    for (std::size_t n = 0; n < 3; ++n) {
      const std::size_t l = adds ? n : 2 - n;
      std::vector<double> sent, got;
      each_in_plane(l, adds ? size[l] : 0, [&](double& v) { sent.push_back(v); });
      got.resize(sent.size());
      MPI_Sendrecv(sent.data(), static_cast<int>(sent.size()), MPI_DOUBLE, adds ? after[l] : before[l], 0, got.data(),
                   static_cast<int>(got.size()), MPI_DOUBLE, adds ? before[l] : after[l], 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      auto next = got.begin();
      each_in_plane(l, adds ? 0 : size[l], [&](double& v) { v = (adds ? v : 0) + *next++; });
    }
  }
  /// The eight cells around a place in this brick, and their weights.
  template <class Visit>
  void each_near(const triple& x, Visit visit) {
    integer cell[3];
    double part[3];
    for (std::size_t l = 0; l < 3; ++l) {
      cell[l] = static_cast<integer>(std::floor(x[l])) - low[l];
      part[l] = x[l] - std::floor(x[l]);
    }
    for (int c = 0; c < 8; ++c) {
      const int i = c & 1, j = c >> 1 & 1, k = c >> 2;
      const double weight = (i ? part[0] : 1 - part[0]) * (j ? part[1] : 1 - part[1]) * (k ? part[2] : 1 - part[2]);
      visit(at(cell[0] + i, cell[1] + j, cell[2] + k), weight);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 1, rank = 0, points[3] = {};
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Dims_create(ranks, 3, points);
  const integer n = argc > 1 ? std::atol(argv[1]) : 32;
  bool good = true;
  {
    const weft::grid on({points[0], points[1], points[2]});
    const auto bricks = weft::distribution::bricks({n, n, n}, on);
    brick mesh(bricks, on, rank);
    weft::options how{.scaling = weft::normalization::backward};
    how.input_layout = weft::ghosted(mesh.size, {0, 0, 0}, {1, 1, 1});
    weft::problem what{.shape = {n, n, n}};
    what.in = bricks;  // the modes lie where the planner wants them
    weft::r2c<double> plan(what, MPI_COMM_WORLD, how);
    auto potential = plan.make_output();
    const weft::spectral<double> of(plan);
    // A particle in each cell of the lattice, displaced by a wave along (1, 1, 0); each rank has those in its brick.
    const double h = 2 * pi / static_cast<double>(n), amplitude = 0.02;
    std::vector<triple> places;
    std::vector<double> expected;
    for (integer c = 0; c < n * n * n; ++c) {
      const triple q{c / n / n + 0.5, c / n % n + 0.5, c % n + 0.5};
      const double s = amplitude * std::sin(h * (q[0] + q[1])) / h;
      const triple x{std::fmod(q[0] + s + n, n), std::fmod(q[1] + s + n, n), q[2]};
      if (bricks.owner({integer(x[0]), integer(x[1]), integer(x[2])}) != rank) continue;
      places.push_back(x);
      expected.push_back(s * h);  // laplacian(phi) = density is about -div(displacement): the force is the displacement
    }
    for (const auto& x : places) mesh.each_near(x, [](double& v, double weight) { v += weight; });
    mesh.exchange(true);
    plan.forward(std::span<const double>(mesh.values), potential.span());
    of.poisson(potential, potential);
    triple total{};
    double worst = 0;
    std::FILE* file = argc > 2 && ranks == 1 ? std::fopen(argv[2], "w") : nullptr;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto slope = [&](auto i, auto& v) {
        v *= std::complex<double>(0, -of.odd_wavenumber(static_cast<int>(axis), i[axis]));
      };
      plan.backward(std::as_const(potential).span(), std::span<double>(mesh.values), slope);
      mesh.exchange(false);
      for (std::size_t p = 0; p < places.size(); ++p) {
        double force = 0;
        mesh.each_near(places[p], [&](double& v, double weight) { force += weight * v; });
        total[axis] += force;
        worst = std::max(worst, std::abs(force - (axis < 2 ? expected[p] : 0)) / amplitude);
        if (file == nullptr || axis != 0 || places[p][1] > 1 || places[p][2] > 1) continue;
        std::fprintf(file, "%g %g %g\n", places[p][0] * h, force, expected[p]);
      }
    }
    if (file != nullptr) std::fclose(file);
    MPI_Allreduce(MPI_IN_PLACE, total.data(), 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const double sum = std::abs(total[0]) + std::abs(total[1]) + std::abs(total[2]);
    good = sum < 1e-8 && worst < 0.1;
    const char* const verdict = good ? "ok" : "wrong";
    if (rank == 0) std::printf("%s: forces add up to %.1e and are off by %.1f %%\n", verdict, sum, 100 * worst);
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
