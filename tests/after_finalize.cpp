// SPDX-License-Identifier: BSD-3-Clause
// Plans destroyed after MPI_Finalize, as static and forgotten ones are: must exit with 0. MPICH may
// mention datatypes that nobody freed in time.
#include <mpi.h>

#include <complex>
#include <memory>
#include <vector>

#include "weft/weft.hpp"

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): that would be a failure, too
  MPI_Init(&argc, &argv);
  std::vector<std::unique_ptr<weft::c2c<double>>> plans;
  std::unique_ptr<weft::redistribution> move;
  double error = 0;
  {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (const auto& engine : weft::exchange_names()) {
      for (const MPI_Comm on : {MPI_COMM_WORLD, copy}) {
        plans.push_back(
            std::make_unique<weft::c2c<double>>(weft::extents{6, 5, 4}, on, weft::options{.exchange = engine}));
        auto x = plans.back()->make_input();
        auto y = plans.back()->make_output();
        x.for_each(
            [](std::span<const weft::integer> i, std::complex<double>& v) { v = i[0] + i[1] + i[2] == 0 ? 1 : 0; });
        plans.back()->forward(x, y);
        for (const auto& v : y) error += std::abs(v - 1.0);
      }
    }
    MPI_Comm_free(&copy);
    move = std::make_unique<weft::redistribution>(plans[0]->input(), plans[0]->output(), 16, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  plans.clear();
  move.reset();
  return error < 1e-12 ? 0 : 1;
}
