// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>

#include "stock.hpp"

namespace weft::fftw {

namespace {

class counters {
 public:
  counters() = default;
  counters(const counters&) = delete;
  counters& operator=(const counters&) = delete;
  ~counters() {
    const char* const asked = std::getenv("WEFT_FFTW_REPORT");
    const std::string_view which = asked == nullptr ? "" : asked;
    if (rank < 0 || which.empty() || which == "0" || (rank > 0 && which != "all")) return;
    std::fprintf(stderr, "Weft as %s, rank %d: %ld plans, %ld transforms; by FFTW: %ld plans, %ld transforms (%s)\n",
                 mpi_library, rank.load(), plans.load(), runs.load(), stock_plans, stock_runs.load(),
                 stock().there() ? stock().path.c_str() : "not there");
    for (const auto& [reason, times] : reasons) {
      std::fprintf(stderr, "Weft as %s, rank %d: %ld plans not by Weft: %s\n", mpi_library, rank.load(), times,
                   reason.c_str());
    }
  }

  /// MPI may not be asked any more at the end.
  void note_rank() {
    int mine = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &mine);
    rank = mine;
  }

  std::atomic<int> rank{-1};
  std::atomic<long> plans{0}, runs{0}, stock_runs{0};
  std::mutex of_reasons;
  long stock_plans = 0;
  std::map<std::string, long> reasons;
};

counters& all() {
  static counters one;
  return one;
}

}  // namespace

void count_plan() {
  all().note_rank();
  ++all().plans;
}
void count_run() { ++all().runs; }
void count_run_of_stock() { ++all().stock_runs; }

void count_passed_on(const std::string& reason) {
  all().note_rank();
  const std::lock_guard hold(all().of_reasons);
  ++all().stock_plans;
  ++all().reasons[reason];
}

}  // namespace weft::fftw
