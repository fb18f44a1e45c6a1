// SPDX-License-Identifier: BSD-3-Clause
// Time that a pass spends waiting for messages is told from time it works.
#include "run/stopwatch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace weft::run {
namespace {

using std::chrono::milliseconds;

/// Message 0 is there, message 1 comes late.
class late_mail final : public local::arrivals {
 public:
  void need(int message) override {
    if (message == 1) std::this_thread::sleep_for(milliseconds(2));
  }
  int next() override {
    need(asked_);
    return asked_ < 2 ? asked_++ : -1;
  }

 private:
  int asked_ = 0;
};

/// Kinds of what was recorded, which must be one after the other.
std::vector<activity> kinds_of(const stopwatch& watch) {
  std::vector<activity> kinds;
  auto last = stopwatch::clock::time_point::min();
  for (const auto& i : watch.recorded()) {
    EXPECT_LE(last, i.begin);
    EXPECT_LE(i.begin, i.end);
    last = i.end;
    kinds.push_back(i.kind);
  }
  return kinds;
}

void run_pass(stopwatch& watch, late_mail& mail, std::size_t stage, activity kind) {
  watch.begin(stage, kind);
  auto* const waiting = watch.around(&mail);
  if (kind == activity::copy) {
    while (waiting->next() >= 0) {
    }
  } else {
    waiting->need(1);
  }
  watch.end();
}

TEST(stopwatch, shows_the_waiting_inside_a_pass) {
  late_mail mail;
  stopwatch watch(2);
  watch.record(true);
  watch.begin_call();
  run_pass(watch, mail, 0, activity::transform);
  EXPECT_EQ(kinds_of(watch), (std::vector{activity::transform, activity::wait, activity::transform}));
  run_pass(watch, mail, 1, activity::copy);
  EXPECT_EQ(kinds_of(watch).back(), activity::copy);
  EXPECT_EQ(std::ranges::count_if(
                watch.recorded(),
                [](const auto& i) { return i.kind == activity::wait && i.end - i.begin >= milliseconds(2); }),
            2);
  EXPECT_EQ(watch.recorded().front().stage, 0U);
  EXPECT_EQ(watch.recorded().back().stage, 1U);
  EXPECT_GE(watch.seconds()[0], 0.002) << "the stage's time has its waits in it";
}

TEST(stopwatch, stays_out_of_the_way_unless_recording) {
  late_mail mail;
  stopwatch watch(1);
  EXPECT_EQ(watch.around(&mail), &mail);
  watch.record(true);
  EXPECT_EQ(watch.around(nullptr), nullptr);
  EXPECT_EQ(watch.around(&mail), &watch);
  watch.begin_call();
  run_pass(watch, mail, 0, activity::transform);
  watch.record(false);
  const auto before = watch.recorded().size();
  run_pass(watch, mail, 0, activity::transform);
  EXPECT_EQ(watch.recorded().size(), before);
  watch.record(true);
  EXPECT_TRUE(watch.recorded().empty());
  watch.reset_seconds();
  EXPECT_EQ(watch.seconds()[0], 0);
}

}  // namespace
}  // namespace weft::run
