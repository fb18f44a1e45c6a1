// SPDX-License-Identifier: BSD-3-Clause
// Plans destroyed after MPI_Finalize, as static and forgotten ones are: must exit with 0. MPICH may
// mention datatypes that nobody freed in time. Plans that are run then complain, unless one rank has all.
#include <mpi.h>

#include <complex>
#include <memory>
#include <vector>

#include "weft/weft.hpp"

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): that would be a failure, too
  MPI_Init(&argc, &argv);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
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
  auto x = plans[0]->make_input();
  auto y = plans[0]->make_output();
  MPI_Finalize();
  int complaints = 0;
  const auto refused = [&](const auto& call) {
    try {
      call();
    } catch (const weft::error&) {
      ++complaints;
    }
  };
  refused([&] { plans[0]->forward(x, y); });
  refused([&] { plans[0]->forward(x.data(), y.data()); });
  refused([&] { (void)plans[0]->start_backward(y, x); });
  refused([&] { (*move)(x, y); });
  refused([&] { (void)weft::sum(x, MPI_COMM_WORLD); });
  refused([&] { weft::c2c<double>({4, 4}, MPI_COMM_WORLD); });
  plans.clear();
  move.reset();
  return error < 1e-12 && (complaints == 6 || ranks == 1) ? 0 : 1;
}
