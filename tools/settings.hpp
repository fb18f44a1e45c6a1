// SPDX-License-Identifier: BSD-3-Clause
// What the command line asks for, as plain values; the same on every rank.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "weft/problem.hpp"

namespace weft::tool {

/// Wrong usage: one line for people, exit code 2. Thrown on every rank or on none.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class check_kind : char { none, roundtrip, full };

struct run_settings {
  problem what;
  options how;
  std::vector<double> sphere;  ///< radii of plane waves to transform instead; empty: none
  check_kind check = check_kind::roundtrip;
  int reps = 10;
  int warmup = 2;
  std::uint64_t seed = 1;
  bool shared_arrays = true;  ///< made by the plan, where ranks can share them
  bool floor = true;          ///< measures what the machine could not do without
  std::string machine_file;   ///< empty: what wisdom knows, else the built-in model; "measured": of the machine at hand
  std::string json;           ///< file to write, "-" for standard output, empty for none
  std::string trace;          ///< file to write, empty for none
};

struct plan_settings {
  problem what;
  options how;
  int ranks = 0;             ///< to plan for; 0: those the program was started with
  std::string machine_file;  ///< empty: the built-in model; "measured": of the machine at hand
  std::string json;
  bool sweep = false;  ///< over these shapes and numbers of ranks, instead of one of each
  std::vector<extents> shapes{{64, 64, 64},    {128, 128, 128},    {256, 256, 256},
                              {512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 2048}};
  std::vector<int> rank_counts{2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
  std::string plot;  ///< SVG file to write, empty for none
};

struct tune_settings {
  std::vector<extents> shapes;
  problem what;  ///< its shape is each of them in turn
  options how;
  double budget = 60;                ///< seconds for all
  std::vector<std::string> imports;  ///< wisdom files to take in first
  std::string json;
};

struct info_settings {
  std::string wisdom;
  std::string json;
};

struct bench_settings {
  std::vector<extents> shapes{{64, 64, 64}, {128, 128, 128}};
  std::vector<std::string> transforms{"c2c", "r2c"};
  extents modes;  ///< to keep; empty: all
  std::vector<precision> precisions{precision::f64, precision::f32};
  int rounds = 20;
  bool all_peers = true;
  std::vector<std::string> peers;  ///< unless all
  int threads = 1;
  std::string device = "cpu";
  std::string json;
  std::string plot;  ///< SVG file to write, empty for none
};

enum class command_kind : char { run, plan, tune, bench, info, print };

struct command_line {
  command_kind command = command_kind::print;
  run_settings run;
  plan_settings plan;
  tune_settings tune;
  bench_settings bench;
  info_settings info;
  std::string text;  ///< command_kind::print: the help or version asked for
};

/// Throws usage_error.
[[nodiscard]] command_line parse_command_line(int argc, const char* const* argv);

}  // namespace weft::tool
