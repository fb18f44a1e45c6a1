// SPDX-License-Identifier: BSD-3-Clause
// Plans that measure, remember, stop early, keep to limits, and give the same bits.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "mpi_support.hpp"
#include "planner/limits.hpp"
#include "weft/error.hpp"
#include "weft/machine.hpp"
#include "weft/plan.hpp"
#include "weft/wisdom.hpp"

namespace weft::testing {
namespace {

/// A file that all ranks name alike, and that is not there yet.
class tuning : public ::testing::Test {
 protected:
  tuning() {
    long long number = getpid();
    MPI_Bcast(&number, 1, MPI_LONG_LONG, 0, world());
    file_ = (std::filesystem::temp_directory_path() / ("weft-tuning-" + std::to_string(number))).string();
    how_.planning = effort::measure;
    how_.planning_seconds = 100;  // so that what is found does not depend on how busy the machine is
    how_.wisdom = file_;
  }
  ~tuning() override {
    MPI_Barrier(world());
    if (world_rank() == 0) std::filesystem::remove(file_);
    MPI_Barrier(world());
  }

  /// Rank 0 writes, everybody waits.
  void write(const std::string& text) const {
    if (world_rank() == 0) std::ofstream(file_) << text;
    MPI_Barrier(world());
  }
  [[nodiscard]] std::string contents() const {
    MPI_Barrier(world());
    std::ifstream in(file_);
    std::stringstream all;
    all << in.rdbuf();
    MPI_Barrier(world());
    return all.str();
  }

  std::string file_;
  options how_;
  problem what_{.shape = {12, 10, 8}};
};

void expect_same_on_all(const std::string& mine) {
  for (const auto& theirs : texts_of_all(mine)) EXPECT_EQ(theirs, mine);
}

void expect_contains(const std::string& text, const std::string& word) {
  EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' in: " << text;
}

TEST_F(tuning, surveys_networks_once) {
  how_.planning = effort::estimate;
  const auto network = [&](const options& how, int per_node) {
    planner::limits().ranks_per_node = per_node;
    const plan made(what_, world(), how);
    planner::limits() = {};
    expect_same_on_all(made.report().network + made.report().schedule + made.report().exchange);
    return made.report().network;
  };
  if (on_one_node()) {
    EXPECT_EQ(network(how_, 0), "");
  }
  if (world_size() == 1) return;
  const auto first = network(how_, 1);
  expect_contains(first, "MB/s");
  expect_contains(contents(), "\nnetwork\n");
  expect_contains(contents(), "network_latency_seconds");
  expect_contains(network(how_, 1), "from '" + file_ + "'");
  how_.wisdom.clear();
  expect_contains(network(how_, 1), "as measured before");
  EXPECT_EQ(network(how_, 1).substr(0, first.find(';')), first.substr(0, first.find(';'))) << "was measured again";
  how_.machine = "network_byte_seconds 1e-9";
  expect_contains(network(how_, 1), "machine model");
}

TEST_F(tuning, is_done_once) {
  const plan first(what_, world(), how_);
  EXPECT_GT(first.report().timed, 0);
  expect_contains(first.report().wisdom, "does not know this");
  expect_same_on_all(first.report().schedule + first.report().exchange + first.report().wisdom);
  for (const auto by : {effort::measure, effort::estimate}) {
    how_.planning = by;
    const plan second(what_, world(), how_);
    EXPECT_EQ(second.report().timed, 0) << "was measured again";
    expect_contains(second.report().wisdom, "from '" + file_ + "'");
    EXPECT_EQ(second.report().schedule, first.report().schedule);
    EXPECT_EQ(second.report().exchange, first.report().exchange);
    EXPECT_EQ(second.report().local, first.report().local);
  }
  how_.planning = effort::patient;
  const plan third(what_, world(), how_);
  EXPECT_GT(third.report().timed, 0) << "patience asks for more than was known";
}

TEST_F(tuning, says_what_differs) {
  (void)plan(what_, world(), how_);
  problem other = what_;
  other.element = precision::f32;
  how_.planning = effort::estimate;
  expect_contains(plan(other, world(), how_).report().wisdom, "precision is f32 here, f64 there");
}

TEST_F(tuning, explains_itself) {
  const plan made(what_, world(), how_);
  const auto why = made.explain();
  ASSERT_FALSE(why.candidates.empty());
  EXPECT_EQ(why.ranks, world_size());
  EXPECT_EQ(why.candidates[0].verdict, "chosen");
  EXPECT_EQ(why.candidates[0].schedule, made.report().schedule);
  EXPECT_EQ(why.candidates[0].exchange, made.report().exchange);
  ASSERT_TRUE(why.candidates[0].measured_seconds.has_value());
  int timed = 0;
  for (const auto& c : why.candidates) {
    EXPECT_FALSE(c.verdict.empty());
    timed += c.measured_seconds ? 1 : 0;
  }
  EXPECT_GT(timed, 1);
  expect_same_on_all(why.text());
}

TEST_F(tuning, refuses_files_that_are_something_else) {
  write("my thesis\n");
  try {
    (void)plan(what_, world(), how_);
    ADD_FAILURE() << "no error";
  } catch (const file_error& e) {
    expect_contains(e.what(), file_);
    expect_same_on_all(e.what());
  }
  EXPECT_EQ(contents(), "my thesis\n");
  how_.wisdom = file_ + "/no/such/folder";
  EXPECT_THROW((void)plan(what_, world(), how_), file_error);
}

TEST_F(tuning, does_not_trust_what_a_file_says) {
  const plan first(what_, world(), how_);
  // A schedule for another shape, in an entry for this one.
  std::string text = contents();
  for (auto at = text.find("forward 12x10x8"); at != std::string::npos; at = text.find("forward 12x10x8")) {
    text.replace(at, 15, "forward 12x10x6");
  }
  write(text);
  const plan second(what_, world(), how_);
  expect_contains(second.report().wisdom, "cannot be used");
  EXPECT_GT(second.report().timed, 0);
}

TEST_F(tuning, can_be_stopped_and_keeps_what_it_learned) {
  int calls = 0;
  how_.planning = effort::patient;
  how_.on_progress = [&](const planning_progress& now) {
    EXPECT_LE(now.done, now.total);
    EXPECT_GT(now.best_seconds, 0);
    EXPECT_FALSE(now.best.empty());
    return ++calls < 3;
  };
  const plan made(what_, world(), how_);
  EXPECT_EQ(made.report().timed, 3);
  EXPECT_EQ(calls > 0, world_rank() == 0);
  how_.on_progress = {};
  how_.planning = effort::estimate;
  const plan again(what_, world(), how_);
  EXPECT_EQ(again.report().schedule, made.report().schedule);
  expect_contains(contents(), "effort partial");
  how_.planning = effort::measure;
  EXPECT_GT(plan(what_, world(), how_).report().timed, 0) << "what was stopped is not measured";
}

TEST_F(tuning, keeps_the_machine_too) {
  const std::string model = measure_machine(world(), file_);
  expect_same_on_all(model);
  EXPECT_EQ(measure_machine(world(), file_), model);
  expect_contains(contents(), "line_seconds_64");
  how_.planning = effort::estimate;
  how_.machine = model;
  const plan by_text(what_, world(), how_);
  how_.machine.clear();
  const plan by_file(what_, world(), how_);
  EXPECT_EQ(by_text.explain().machine, by_file.explain().machine);
}

TEST(limits, of_memory_are_kept_or_named) {
  const problem what{.shape = {24, 20, 18}, .in = "[b0 * *]", .out = "same"};
  const plan usual(what, world());
  long long most = usual.report().workspace_bytes;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_LONG_LONG, MPI_MAX, world());
  options how;
  how.memory_limit = most;
  EXPECT_LE(plan(what, world(), how).report().workspace_bytes, most);
  how.memory_limit = 1;
  try {
    (void)plan(what, world(), how);
    ADD_FAILURE() << "no error";
  } catch (const buffer_error& e) {
    expect_contains(e.what(), "the limit is 1");
    expect_same_on_all(e.what());
  }
}

std::string bits_of(const problem& what, const options& how) {
  c2c<double> made(what, world(), how);
  auto in = made.make_input();
  auto out = made.make_output();
  for (integer i = 0; i < in.size(); ++i) {
    in.data()[i] = {std::sin(1.0 + static_cast<double>(i * 7)), std::cos(static_cast<double>(i * 3))};
  }
  made.forward(in, out);
  return {reinterpret_cast<const char*>(out.data()),
          static_cast<std::size_t>(out.size()) * sizeof(std::complex<double>)};
}

TEST_F(tuning, does_not_change_deterministic_results) {
  const problem what{.shape = {24, 15, 32}, .in = "[b0 * *]", .out = "[* b0 *]"};
  options plain;
  plain.deterministic = true;
  const std::string expected = bits_of(what, plain);
  how_.deterministic = true;
  EXPECT_EQ(bits_of(what, how_), expected) << "measured";
  how_.planning = effort::estimate;
  EXPECT_EQ(bits_of(what, how_), expected) << "from wisdom";
  plain.machine = "node_message_seconds 1\nnetwork_byte_seconds 1\nflop_seconds 1";
  EXPECT_EQ(bits_of(what, plain), expected) << "by another machine's model";
  for (const auto* const engine : {"alltoallv", "alltoallw", "alltoall", "p2p", "pipelined", "streamed", "window"}) {
    options other = plain;
    other.exchange = engine;
    other.threads = 2;
    EXPECT_EQ(bits_of(what, other), expected) << engine;
  }
}

}  // namespace
}  // namespace weft::testing
