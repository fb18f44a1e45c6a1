// SPDX-License-Identifier: BSD-3-Clause
// How much of the waiting disappears when transforms of several fields overlap: all of them one after the other, and
// all started before any is waited for, in turn.
//
//   mpirun -n 2 weft-bench-overlap [extent] [fields] [engine] [repetitions] [out]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "weft/weft.hpp"

namespace {

struct figures {
  double seconds = 0, waiting = 0;  // on the rank that takes longest, and waits longest
};

double largest(double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

/// Seconds in which this rank neither transformed nor copied: an engine that blocks waits inside its exchange.
double waited(const weft::plan& p) {
  double sum = 0;
  for (const auto& e : p.timeline()) {
    const bool waits = e.kind == weft::activity::wait || e.kind == weft::activity::exchange;
    if (waits) sum += std::chrono::duration<double>(e.end - e.begin).count();
  }
  return sum;
}

template <class Work>
figures measure(weft::plan& p, const Work& work) {
  p.record_timeline(true);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  work();
  const double seconds = largest(MPI_Wtime() - begin);
  p.record_timeline(false);
  return {seconds, largest(waited(p))};
}

figures median(std::vector<figures> all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle, {}, &figures::seconds);
  return *middle;
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
  std::vector<figures> apart, overlapping;
  for (int k = 0; k < repetitions; ++k) {
    apart.push_back(measure(p, one_by_one));
    overlapping.push_back(measure(p, together));
  }
  const auto a = median(apart), b = median(overlapping);
  // Passes of all fields but one can hide behind messages; the first message waits for a pass, the last pass for a
  // message.
  const double passes = a.seconds - a.waiting;
  const double at_least = std::max(a.waiting / fields, a.waiting - passes * (fields - 1) / fields);
  if (p.rank() != 0) return;
  std::printf(
      "%-10s out %s, %d fields of %d^3, median of %d: one by one %7.1f ms, waiting %7.1f; overlapping %7.1f ms, "
      "waiting "
      "%7.1f (at least %.1f)\n",
      engine.c_str(), out_as.c_str(), fields, extent, repetitions, a.seconds * 1e3, a.waiting * 1e3, b.seconds * 1e3,
      b.waiting * 1e3, at_least * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto number = [&](int at, int usual) { return argc > at ? std::atoi(argv[at]) : usual; };
  compare(number(1, 64), number(2, 4), argc > 3 ? argv[3] : "p2p", number(4, 5), argc > 5 ? argv[5] : "any");
  MPI_Finalize();
  return 0;
}
