// SPDX-License-Identifier: BSD-3-Clause
// A plan on one or more ranks of a device, out = any and out = same, by each exchange engine; medians of the slowest
// rank.
//
//   mpirun -n 4 gpu_ranks [ENGINE] SHAPE...
#include <mpi.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "weft/weft.hpp"

namespace {

double median_ms(weft::plan& plan, const weft::memory& in, const weft::memory& out) {
  std::vector<double> all;
  for (int r = -2; r < 9; ++r) {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto begin = std::chrono::steady_clock::now();
    plan.forward(static_cast<const void*>(in.data()), static_cast<void*>(out.data()));
    double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    MPI_Allreduce(MPI_IN_PLACE, &ms, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (r >= 0) all.push_back(ms);
  }
  std::ranges::sort(all);
  return all[all.size() / 2];
}

void race(const std::string& shape, const std::string& engine, const std::string& to) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    weft::problem what{.shape = weft::parse_extents(shape)};
    what.in = "[b0 * *]";
    what.out = to;
    weft::options how;
    how.device = "cuda";
    how.exchange = engine;
    how.idle_ranks = false;
    weft::plan plan(what, MPI_COMM_WORLD, how);
    const weft::memory in = plan.allocate(weft::side::input), out = plan.allocate(weft::side::output);
    const double ms = median_ms(plan, in, out);
    if (rank == 0) {
      std::printf("%s, %d ranks, %s, out %s: %.3f ms, arrays %s, workspace %.1f MiB, %s\n", shape.c_str(), ranks,
                  engine.c_str(), to.c_str(), ms, plan.report().arrays.c_str(),
                  static_cast<double>(plan.report().workspace_bytes) * 0x1p-20, plan.report().schedule.c_str());
    }
  } catch (const weft::error& e) {
    if (rank == 0) std::printf("%s %s %s: %s\n", shape.c_str(), engine.c_str(), to.c_str(), e.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<std::string> engines{"ipc", "staged"};
  for (int i = 1; i < argc; ++i) {
    if (std::isalpha(argv[i][0]) != 0) {
      engines = {argv[i]};
      continue;
    }
    for (const std::string& engine : engines) {
      for (const char* to : {"any", "same"}) {
        if (ranks > 1 || engine == engines.front()) race(argv[i], engine, to);
      }
    }
  }
  MPI_Finalize();
}
