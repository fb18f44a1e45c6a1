// SPDX-License-Identifier: BSD-3-Clause
// The program `weft`: parses the command line on every rank alike, prints on rank 0 only.
#include <fmt/core.h>
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "run.hpp"
#include "weft/error.hpp"
#include "wisdom_file.hpp"

namespace {

constexpr int exit_usage = 2;
constexpr int exit_failure = 3;

/// The file is the root's to find, and to write: homes may differ between nodes.
void settle_wisdom(weft::tool::command_line& asked, const weft::tool::ranks& all) {
  std::string usual;
  for (std::string* const file :
       {&asked.run.how.wisdom, &asked.plan.how.wisdom, &asked.tune.how.wisdom, &asked.info.wisdom}) {
    if (*file != weft::tool::usual_wisdom || asked.command == weft::tool::command_kind::print) continue;
    if (usual.empty()) usual = all.from_root(all.is_root() ? weft::tool::usual_wisdom_file() : std::string());
    *file = usual;
  }
}

int run_command(int argc, char** argv, const weft::tool::ranks& all) {
  if (!all.same(std::vector<std::string>(argv + 1, argv + argc))) {
    throw weft::tool::usage_error("the ranks were started with different arguments; give all the same");
  }
  auto asked = weft::tool::parse_command_line(argc, argv);
  settle_wisdom(asked, all);
  switch (asked.command) {
    case weft::tool::command_kind::run: return weft::tool::run(asked.run, all);
    case weft::tool::command_kind::plan: return weft::tool::explain_plan(asked.plan, all);
    case weft::tool::command_kind::tune: return weft::tool::tune(asked.tune, all);
    case weft::tool::command_kind::bench: return weft::tool::bench(asked.bench, all);
    case weft::tool::command_kind::info: return weft::tool::info(asked.info, all);
    case weft::tool::command_kind::print: break;
  }
  if (all.is_root()) fmt::print("{}", asked.text);
  return 0;
}

/// Errors that every rank meets alike end in an orderly way; a rank that fails alone must take the
/// others with it, or they would wait for ever.
int guarded(int argc, char** argv, const weft::tool::ranks& all) {
  const auto say = [&all](const char* what) {
    if (all.is_root()) fmt::print(stderr, "weft: {}\n", what);
  };
  const auto abort = [&all](const char* what) {
    fmt::print(stderr, "weft: rank {}: {}\n", all.rank(), what);
    MPI_Abort(all.communicator(), exit_failure);
    return exit_failure;
  };
  try {
    return run_command(argc, argv, all);
  } catch (const weft::tool::usage_error& e) {
    say(e.what());
    return exit_usage;
  } catch (const weft::mpi_error& e) {
    return abort(e.what());  // not all ranks may have it
  } catch (const weft::error& e) {
    say(e.what());
    return exit_failure;
  } catch (const std::exception& e) {
    return abort(e.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  int thread_level = 0;  // a rank's threads compute; its main thread alone talks to MPI
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &thread_level);
  const int code = guarded(argc, argv, weft::tool::ranks(MPI_COMM_WORLD));
  std::fflush(stdout);
  std::fflush(stderr);
  MPI_Finalize();
  return code;
}
