// SPDX-License-Identifier: BSD-3-Clause
// How good the planner's choices are: for problems of many kinds, the strategies that `estimate` and `measure` choose,
// timed side by side with the best that `patient` finds.
//
//   mpirun -n 4 weft-bench-planner [SECONDS]         all ranks are used, and the machine is measured first
//   mpirun -n 4 weft-bench-planner [SECONDS] hosts   as users get it: what is not known of the network is surveyed, and
//                                                    ranks may be left idle
//
// One line per problem: least seconds of the three in alternating rounds, and how much slower than the best of them
// the first two are.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "mpi/agreement.hpp"
#include "planner/decide.hpp"
#include "planner/resolve.hpp"
#include "planner/trial_run.hpp"
#include "weft/machine.hpp"
#include "weft/plan.hpp"

namespace {

using weft::effort;
using weft::problem;

constexpr int rounds = 25;

std::vector<problem> problems() {
  std::vector<problem> all;
  const auto add = [&](weft::extents shape, const char* in, const char* out,
                       weft::transform_kind kind = weft::transform_kind::c2c) {
    all.push_back({.shape = std::move(shape), .kind = kind, .in = in, .out = out});
  };
  using weft::transform_kind::r2c;
  add({32, 32, 32}, "any", "any");
  add({64, 64, 64}, "any", "any");
  add({64, 64, 64}, "any", "same");
  add({128, 128, 128}, "any", "any");
  add({60, 42, 35}, "any", "any");
  add({61, 67, 31}, "any", "same");
  add({64, 48, 40}, "brick", "brick");
  add({512, 256}, "[b0 *]", "same");
  add({16, 16, 16, 16}, "any", "any");
  add({64, 64, 64}, "[c0 * *]", "same");
  add({64, 64, 64}, "any", "any", r2c);
  add({128, 96, 64}, "[b0 * *]", "same", r2c);
  return all;
}

/// Smaller ones, for slow networks.
std::vector<problem> problems_of_hosts() {
  using weft::transform_kind::r2c;
  return {{.shape = {64, 64, 64}, .in = "any", .out = "any"},
          {.shape = {64, 64, 64}, .in = "[b0 * *]", .out = "any"},
          {.shape = {64, 48, 40}, .in = "[b0 * *]", .out = "same"},
          {.shape = {144, 48, 16}, .in = "[c0 * *]", .out = "same"},
          {.shape = {64, 48, 40}, .kind = r2c, .in = "brick", .out = "brick"}};
}

struct choice {
  weft::planner::strategy how;
  double least = std::numeric_limits<double>::infinity();
  double planning = 0;
};

choice choose(const problem& what, weft::options how, effort by, const weft::planner::crew& on) {
  how.planning = by;
  const auto task = weft::planner::resolve(what, how, on.all.size());
  const double begun = MPI_Wtime();
  weft::planner::knowledge none;
  const auto given = weft::planner::setting_of(how, on, none);
  auto made = weft::planner::decide(what, how, task, given, none, on);
  return {made.how_bound->chosen, std::numeric_limits<double>::infinity(), MPI_Wtime() - begun};
}

std::string name_of(const problem& p) {
  return std::string(p.kind == weft::transform_kind::r2c ? "r2c " : "c2c ") + weft::to_text(p.shape) + " " +
         p.in.full_text() + " -> " + p.out.full_text();
}

std::string name_of(const weft::planner::strategy& s, int ranks) {
  const int used = std::max(s.forward.input.ranks(), output_of(s.forward).ranks());
  return (used < ranks ? std::to_string(used) + " ranks " : "") + s.algorithm + "/" +
         weft::planner::exchanges_text(s.exchanges) + "/" + s.local;
}

}  // namespace

// A failure ends it, as it should. NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  {
    const weft::planner::crew on{weft::mpi::communicator(MPI_COMM_WORLD)};
    weft::options how;
    const bool hosts = argc > 2 && std::string(argv[2]) == "hosts";
    if (!hosts) how.machine = weft::measure_machine(MPI_COMM_WORLD);
    how.idle_ranks = hosts;
    how.planning_seconds = argc > 1 ? std::atof(argv[1]) : 20;
    for (const auto& what : hosts ? problems_of_hosts() : problems()) {
      std::vector<choice> found;
      for (const auto by : {effort::estimate, effort::measure, effort::patient}) {
        found.push_back(choose(what, how, by, on));
      }
      const auto task = weft::planner::resolve(what, how, on.all.size());
      const double begun = MPI_Wtime();
      for (int k = 0; k < rounds; ++k) {
        // Slow ones differ less from time to time.
        if (k > 2 && weft::mpi::largest(on.all, MPI_Wtime() - begun > 5) != 0) break;
        for (auto& c : found) {
          weft::planner::bound made(what, how, task, on, c.how);
          c.least = std::min(c.least, weft::planner::least_seconds(made, how, on, c.least));
        }
      }
      // The same strategy, chosen twice, is as fast as itself.
      for (auto& a : found) {
        for (const auto& b : found) {
          if (a.how == b.how) a.least = std::min(a.least, b.least);
        }
      }
      if (on.all.rank() != 0) continue;
      double best = std::numeric_limits<double>::infinity();
      for (const auto& c : found) best = std::min(best, c.least);
      std::printf("| %d | %s | %.1f | %s %.3f | %s %.3f | %s %.3f | %.2f, %.2f |\n", on.all.size(),
                  name_of(what).c_str(), 1e6 * best, name_of(found[0].how, on.all.size()).c_str(),
                  found[0].least / best, name_of(found[1].how, on.all.size()).c_str(), found[1].least / best,
                  name_of(found[2].how, on.all.size()).c_str(), found[2].least / best, found[1].planning,
                  found[2].planning);
      std::fflush(stdout);
    }
  }
  MPI_Finalize();
  return 0;
}
