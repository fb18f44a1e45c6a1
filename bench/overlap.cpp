// SPDX-License-Identifier: BSD-3-Clause
// How much of the time beyond passes disappears when transforms of several fields overlap: all of them one after the
// other, and all started before any is waited for, in turn. Passes of runs that overlap also move messages, so what
// they take then says nothing: what counts is the whole time, less what the same passes take one by one.
//
//   mpirun -n 2 weft-bench-overlap [extent] [fields] [engine] [repetitions] [out]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "weft/weft.hpp"

namespace {

double largest(double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

/// Seconds of this rank in transforms and copies, waits inside them apart.
double in_passes(const weft::plan& p) {
  double sum = 0;
  for (const auto& e : p.timeline()) {
    const bool works = e.kind == weft::activity::transform || e.kind == weft::activity::copy;
    if (works) sum += std::chrono::duration<double>(e.end - e.begin).count();
  }
  return sum;
}

/// On the rank that takes longest.
template <class Work>
double seconds_of(const Work& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  work();
  return largest(MPI_Wtime() - begin);
}

void compare(int extent, int fields, const std::string& engine, int repetitions, const std::string& out_as) {
  weft::problem what{.shape = {extent, extent, extent}, .out = out_as};
  weft::c2c<double> p(what, MPI_COMM_WORLD, {.exchange = engine, .idle_ranks = false});
  std::vector<weft::array<std::complex<double>>> in, out;
  for (int f = 0; f < fields; ++f) {
    in.push_back(p.make_input());
    out.push_back(p.make_output());
    in.back().for_each([&](auto i, auto& v) { v = static_cast<double>((i[0] + 3 * i[1] + 7 * i[2] + f) % 11); });
  }
  const auto one_by_one = [&] {
    for (std::size_t f = 0; f < in.size(); ++f) p.forward(in[f], out[f]);
  };
  const auto together = [&] {
    std::vector<weft::started> runs;
    for (std::size_t f = 0; f < in.size(); ++f) runs.push_back(p.start_forward(in[f], out[f]));
    for (auto& run : runs) run.wait();
  };
  one_by_one();
  together();
  // The least of many: others only add to it.
  double apart = 1e300, overlapping = 1e300, passes = 1e300;
  for (int k = 0; k < repetitions; ++k) {
    p.record_timeline(true);
    apart = std::min(apart, seconds_of(one_by_one));
    p.record_timeline(false);
    passes = std::min(passes, in_passes(p));
    overlapping = std::min(overlapping, seconds_of(together));
  }
  passes = largest(passes);
  // Passes of all fields but one can hide behind messages; the first message waits for a pass, the last pass for a
  // message.
  const double beyond = apart - passes;
  const double at_least = std::max(beyond / fields, beyond - passes * (fields - 1) / fields);
  if (p.rank() != 0) return;
  std::printf(
      "%-10s out %s, %d fields of %d^3, least of %d: passes %.1f ms; one by one %.1f ms, %.1f beyond passes; "
      "overlapping "
      "%.1f ms, %.1f beyond (at least %.1f)\n",
      engine.c_str(), out_as.c_str(), fields, extent, repetitions, passes * 1e3, apart * 1e3, beyond * 1e3,
      overlapping * 1e3, (overlapping - passes) * 1e3, at_least * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto number = [&](int at, int usual) { return argc > at ? std::atoi(argv[at]) : usual; };
  compare(number(1, 64), number(2, 4), argc > 3 ? argv[3] : "p2p", number(4, 5), argc > 5 ? argv[5] : "any");
  MPI_Finalize();
  return 0;
}
