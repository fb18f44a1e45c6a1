// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "progress.hpp"
#include "report.hpp"
#include "run.hpp"
#include "weft/error.hpp"
#include "weft/machine.hpp"
#include "weft/version.hpp"
#include "weft/wisdom.hpp"

namespace weft::tool {

namespace {

using json = nlohmann::ordered_json;

volatile std::sig_atomic_t stop_asked = 0;

/// The first time asks to stop, the second time stops.
void ask_to_stop(int signal) {
  if (stop_asked != 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  stop_asked = 1;
}

struct tuned {
  extents shape;
  plan_report plan;
  double seconds = 0;        ///< of the way that was chosen; 0 where wisdom knew it
  double model_seconds = 0;  ///< of what the model would have chosen, if that was timed
};

tuned tune_one(const extents& shape, const tune_settings& asked, double seconds, const ranks& all,
               const progress_line& progress) {
  problem what = asked.what;
  what.shape = shape;
  options how = asked.how;
  how.planning_seconds = seconds;
  how.on_progress = [&](const planning_progress& now) {
    progress.say(fmt::format("{} {} {}/{}  best {:.4g} ms: {}", weft::to_text(shape), bar_of(now.done, now.total),
                             now.done, now.total, 1e3 * now.best_seconds, now.best));
    return stop_asked == 0;
  };
  const plan made(what, all.communicator(), how);
  tuned found{shape, made.report()};
  const auto why = made.explain();
  found.seconds = why.candidates.front().measured_seconds.value_or(0);
  options guess = asked.how;
  guess.planning = effort::estimate;
  guess.wisdom.clear();
  guess.machine = why.machine;
  const std::string guessed = explain(what, guess, all.size()).candidates.front().schedule;
  for (const auto& c : why.candidates) {
    if (c.schedule == guessed && c.measured_seconds && found.model_seconds == 0) {
      found.model_seconds = *c.measured_seconds;
    }
  }
  return found;
}

bool all_kept(const std::vector<tuned>& found) {
  return std::ranges::all_of(found, [](const tuned& t) { return t.plan.kept; });
}

std::string line_of(const tuned& t) {
  std::string line =
      fmt::format("{}: {} by {}, {}", weft::to_text(t.shape), t.plan.algorithm, t.plan.exchange, t.plan.local);
  if (t.plan.threads > 1) line += fmt::format(", {} threads", t.plan.threads);
  if (t.seconds > 0) line += fmt::format(", {:.4g} ms, {} ways timed", 1e3 * t.seconds, t.plan.timed);
  if (t.seconds > 0 && t.model_seconds > 0) {
    line += fmt::format("; the model's choice took {:.4g} ms", 1e3 * t.model_seconds);
  }
  if (t.plan.timed == 0 || !t.plan.kept) line += "; " + t.plan.wisdom;
  return line + fmt::format("\n  {}\n", t.plan.schedule);
}

json json_of(const tuned& t) {
  return {{"shape", t.shape},
          {"algorithm", t.plan.algorithm},
          {"exchange", t.plan.exchange},
          {"local", t.plan.local},
          {"threads", t.plan.threads},
          {"ranks", t.plan.ranks},
          {"schedule", t.plan.schedule},
          {"timed", t.plan.timed},
          {"seconds", t.seconds > 0 ? json(t.seconds) : json()},
          {"model_seconds", t.model_seconds > 0 ? json(t.model_seconds) : json()},
          {"wisdom", t.plan.wisdom}};
}

/// Root only; all hear of the complaint.
void import_files(const tune_settings& asked, const ranks& all) {
  std::string complaint;
  if (all.is_root()) {
    try {
      for (const auto& file : asked.imports) {
        if (!std::filesystem::exists(file)) throw file_error("wisdom file '" + file + "' is not there to be imported");
        wisdom::load(file).save_into(asked.how.wisdom);
      }
    } catch (const weft::error& e) {
      complaint = e.what();
    }
  }
  complaint = all.from_root(complaint);
  if (!complaint.empty()) throw usage_error(complaint);
}

}  // namespace

int tune(const tune_settings& asked, const ranks& all) {
  require_writable("--json", asked.json, all);
  if (asked.how.wisdom.empty()) throw usage_error("nowhere to keep what is learned; name a file with --wisdom");
  import_files(asked, all);
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
  std::vector<tuned> found;
  try {
    const progress_line progress(all);
    progress.say("measuring the machine");
    const double begun = MPI_Wtime();
    (void)measure_machine(all.communicator(), asked.how.wisdom);
    for (std::size_t i = 0; i < asked.shapes.size() && all.from_root(stop_asked == 0); ++i) {
      // What one shape leaves of its share is the others'.
      const double left = asked.budget - all.max(MPI_Wtime() - begun);
      const double share = std::max(left / static_cast<double>(asked.shapes.size() - i), 1e-3);
      found.push_back(tune_one(asked.shapes[i], asked, share, all, progress));
    }
  } catch (const weft::error& e) {
    throw usage_error(e.what());
  }
  const bool stopped = !all.from_root(stop_asked == 0);
  if (!all.is_root()) return all_kept(found) ? 0 : 3;
  std::string text;
  json written{{"version", version()},       {"mpi", short_mpi_version()}, {"ranks", all.size()},
               {"wisdom", asked.how.wisdom}, {"stopped", stopped},         {"tuned", json::array()}};
  for (const auto& t : found) {
    text += line_of(t);
    written["tuned"].push_back(json_of(t));
  }
  const bool kept = all_kept(found);
  if (stopped) text += kept ? "stopped; what was learned is kept\n" : "stopped\n";
  text += "wisdom: " + asked.how.wisdom + (kept ? "\n" : " could not be written\n");
  write_report(asked.json, text, written);
  return kept ? 0 : 3;
}

}  // namespace weft::tool
