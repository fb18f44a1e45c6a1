// SPDX-License-Identifier: BSD-3-Clause
// GoogleTest under MPI: one start, and all tests on the first n ranks for each n that is asked for, as `--ranks=1,2,3`
// or by WEFT_RANKS, else on all. Rank 0 reports, the others speak only when they fail, and a failure on any rank
// fails all.
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "mpi_support.hpp"

namespace {

int rank_of(MPI_Comm on) {
  int rank = 0;
  MPI_Comm_rank(on, &rank);
  return rank;
}

/// The others need the cores, and some MPI libraries spin in MPI_Barrier.
void sleep_until_all_are_here() {
  MPI_Request here = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &here);
  for (int done = 0; done == 0; MPI_Test(&here, &done, MPI_STATUS_IGNORE)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

/// Iteration i of GoogleTest on this rank is the i-th number of ranks that includes it. Between two numbers all meet.
class rounds : public ::testing::EmptyTestEventListener {
 public:
  explicit rounds(const std::vector<int>& counts) {
    for (const int count : counts) {
      MPI_Comm made = MPI_COMM_NULL;
      MPI_Comm_split(MPI_COMM_WORLD, rank_of(MPI_COMM_WORLD) < count ? 0 : MPI_UNDEFINED, 0, &made);
      comms_.push_back(made);
      mine_ += made != MPI_COMM_NULL ? 1 : 0;
    }
  }
  ~rounds() override {
    for (auto& c : comms_) {
      if (c != MPI_COMM_NULL) MPI_Comm_free(&c);
    }
  }
  [[nodiscard]] int mine() const { return mine_; }
  /// Sits out the rounds that are left.
  void finish() {
    for (; next_ < comms_.size(); ++next_) sleep_until_all_are_here();
  }

 private:
  void OnTestIterationStart(const ::testing::UnitTest& /*all*/, int /*iteration*/) override {
    for (; comms_[next_] == MPI_COMM_NULL; ++next_) sleep_until_all_are_here();
    weft::testing::world() = comms_[next_];
    if (weft::testing::world_rank() == 0) std::printf("== on %d ranks\n", weft::testing::world_size());
  }
  /// A hang should be noticed within minutes, however many rounds are still to come.
  void OnTestStart(const ::testing::TestInfo& test) override {
    static std::string message;
    message = "[rank " + std::to_string(weft::testing::world_rank()) + " of " +
              std::to_string(weft::testing::world_size()) + "] " + test.test_suite_name() + "." + test.name() +
              " does not end\n";
    std::signal(SIGALRM, [](int /*signal*/) {
      (void)!write(STDERR_FILENO, message.data(), message.size());
      _exit(1);
    });
    alarm(180);
  }
  void OnTestEnd(const ::testing::TestInfo& /*test*/) override { alarm(0); }
  void OnTestIterationEnd(const ::testing::UnitTest& all, int /*iteration*/) override {
    int failed = all.Failed() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comms_[next_]);
    if (failed != 0 && weft::testing::world_rank() == 0) {
      std::printf("== FAILED on %d ranks; these alone: WEFT_RANKS=%d\n", weft::testing::world_size(),
                  weft::testing::world_size());
    }
    std::fflush(stdout);
    weft::testing::world() = MPI_COMM_NULL;
    ++next_;
    sleep_until_all_are_here();
  }

  std::vector<MPI_Comm> comms_;
  std::size_t next_ = 0;
  int mine_ = 0;
};

class failure_printer : public ::testing::EmptyTestEventListener {
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "[rank %d of %d] %s:%d: %s\n", weft::testing::world_rank(), weft::testing::world_size(),
                 result.file_name() != nullptr ? result.file_name() : "?", result.line_number(), result.message());
  }
};

std::vector<int> rank_counts(int argc, char** argv) {
  int started = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &started);
  std::string wanted = std::to_string(started);
  const std::string option = "--ranks=";
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]).starts_with(option)) wanted = argv[i] + option.size();
  }
  if (const char* const only = std::getenv("WEFT_RANKS")) wanted = only;
  std::vector<int> counts;
  std::istringstream in(wanted);
  for (std::string word; std::getline(in, word, ',');) {
    const int count = std::atoi(word.c_str());
    if (count < 1 || count > started) {
      std::fprintf(stderr, "tests on '%s' ranks cannot run: %d are started\n", word.c_str(), started);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    counts.push_back(count);
  }
  return counts;
}

/// All ranks draw alike: rank 0 says from where.
void agree_on_fresh_draws() {
  const char* const given = std::getenv("WEFT_FRESH");
  unsigned long long first = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  MPI_Bcast(&first, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  setenv("WEFT_FRESH", std::to_string(first).c_str(), 1);
  if (rank_of(MPI_COMM_WORLD) == 0) std::printf("fresh draws: WEFT_FRESH=%llu\n", first);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  ::testing::InitGoogleTest(&argc, argv);
  agree_on_fresh_draws();
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (rank_of(MPI_COMM_WORLD) != 0) delete listeners.Release(listeners.default_result_printer());
  auto* const all = new rounds(rank_counts(argc, argv));
  listeners.Append(all);
  if (rank_of(MPI_COMM_WORLD) != 0) listeners.Append(new failure_printer);
  int result = 0;
  if (all->mine() > 0) {
    GTEST_FLAG_SET(repeat, all->mine());
    result = RUN_ALL_TESTS();
  }
  all->finish();
  delete listeners.Release(all);
  MPI_Allreduce(MPI_IN_PLACE, &result, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return result;
}
