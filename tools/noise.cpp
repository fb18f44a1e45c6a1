// SPDX-License-Identifier: BSD-3-Clause
#include "noise.hpp"

#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is POSIX
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <string>

namespace weft::tool {

namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

noise_watch::counters noise_watch::read_counters() {
  counters now;
  // The process clock is utime + stime of /proc/self/stat, in nanoseconds instead of ticks.
  now.own = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  now.clock = seconds_of(CLOCK_MONOTONIC);
  std::ifstream stat("/proc/stat");
  std::string label;
  enum { user, nice, system, idle, iowait, irq, softirq, steal, fields };
  std::array<double, fields> ticks{};
  if (!(stat >> label) || label != "cpu") return now;
  for (double& t : ticks) stat >> t;
  const double per_tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  now.total = per_tick * std::accumulate(ticks.begin(), ticks.end(), 0.0);
  now.steal = per_tick * ticks[steal];
  now.busy = now.total - now.steal - per_tick * (ticks[idle] + ticks[iowait]);
  return now;
}

noise_watch::noise_watch(const ranks& all) : all_(&all), node_(all) {
  all.barrier();
  start_ = read_counters();
}

noise noise_watch::stop() const {
  all_->barrier();
  const counters end = read_counters();
  const double own = node_.sum(end.own - start_.own);
  const double total = end.total - start_.total;
  noise seen;
  if (total > 0) {
    seen.foreign = std::clamp((end.busy - start_.busy - own) / total, 0.0, 1.0);
    seen.steal = std::clamp((end.steal - start_.steal) / total, 0.0, 1.0);
  }
  seen.foreign = all_->max(seen.foreign);
  seen.steal = all_->max(seen.steal);
  seen.seconds = all_->max(end.clock - start_.clock);
  return seen;
}

}  // namespace weft::tool
