// SPDX-License-Identifier: BSD-3-Clause
#include "bench.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "bench_rounds.hpp"
#include "check.hpp"
#include "peers/peer.hpp"
#include "progress.hpp"
#include "run.hpp"
#include "svg.hpp"
#include "transform_name.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace weft::tool {

namespace {

std::vector<peer> chosen_peers(const bench_settings& asked) {
  std::vector<peer> chosen;
  for (const peer& p : built_peers()) {
    const bool named = std::find(asked.peers.begin(), asked.peers.end(), p.name) != asked.peers.end();
    if (p.on_device != (asked.device != "cpu")) {
      if (!named) continue;
      throw usage_error("--peers " + p.name + " is for arrays in " + (p.on_device ? "a device's" : "the host's") +
                        " memory, and --device is " + asked.device);
    }
    if (asked.all_peers || named) chosen.push_back(p);
  }
  return chosen;
}

std::vector<problem> problems_of(const bench_settings& asked) {
  std::vector<problem> all;
  for (const extents& shape : asked.shapes) {
    for (const std::string& name : asked.transforms) {
      for (const precision width : asked.precisions) {
        problem what{.shape = shape, .element = width, .modes = asked.modes};
        set_transform(what, name);
        complete_transform(what);
        all.push_back(std::move(what));
      }
    }
  }
  return all;
}

/// Refuses what cannot fit before anything is allocated: the kernel would rather kill a process late than refuse it
/// memory early.
void check_memory(const problem& what, const bench_settings& asked, const ranks& all) {
  // Those of the window engine, a pair for all others, a whole pair on the root. Copies of what devices have are fewer.
  const double arrays = asked.device == "cpu" ? 10 : 2;
  const double physical = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const node_ranks node(all);
  const double available = all.sum(node.is_root() ? physical : 0.0);
  double needed = arrays * static_cast<double>(complex_bytes(what.element));
  for (const integer n : what.shape) needed *= static_cast<double>(n);
  if (!is_complex(what, side::input)) needed /= 2;
  if (needed <= available) return;
  throw usage_error(
      fmt::format("--shapes: {} needs {:.1f} GiB for all contenders' arrays, there are {:.1f} GiB in all; "
                  "take a smaller shape or more nodes",
                  weft::to_text(what.shape), needed * 0x1p-30, available * 0x1p-30));
}

/// Least time of those that pass, or none.
template <class Pass>
std::optional<double> fastest(const std::vector<bench_entry>& entries, timing bench_entry::*of, Pass pass) {
  std::optional<double> least;
  for (const bench_entry& e : entries) {
    if (e.ok && pass(e.who) && (!least || (e.*of).min < *least)) least = (e.*of).min;
  }
  return least;
}

/// `library`: the peer to compare with, empty for the fastest of all.
bench_ratios ratios_of(const std::vector<bench_entry>& entries, timing bench_entry::*of, const std::string& library,
                       bool messages_only) {
  const auto ratio = [&](bool same) -> std::optional<double> {
    const auto peers = fastest(entries, of, [&](const contender_label& who) {
      return !who.is_weft && (who.keeps_distribution || !same) && (library.empty() || who.library == library);
    });
    const auto weft = fastest(entries, of, [=](const contender_label& who) {
      return who.is_weft && (who.keeps_distribution || !same) && (who.by_messages || !messages_only);
    });
    if (!peers || !weft || *weft <= 0) return std::nullopt;
    return *peers / *weft;
  };
  return {ratio(false), ratio(true)};
}

/// Weft's own transform of the same array that keeps all modes, as if it were a peer.
void add_dense(contenders& made, problem what, const bench_setup& on) {
  what.modes.clear();
  contenders dense = weft_contenders(what, on, "weft, all modes");
  std::move(dense.all.begin(), dense.all.end(), std::back_inserter(made.all));
  made.notes.insert(made.notes.end(), dense.notes.begin(), dense.notes.end());
  made.notes.emplace_back("other libraries: left out: they keep all modes");
}

contenders all_contenders(const problem& what, const bench_setup& on, const std::vector<peer>& others) {
  contenders made = weft_contenders(what, on);
  if (!what.modes.empty()) {
    add_dense(made, what, on);
    return made;
  }
  for (const peer& p : others) {
    if (!what.kinds.empty() && !p.has_r2r) {
      made.notes.push_back(p.name + ": left out: its cosine and sine transforms are not compared");
      continue;
    }
    contenders more = p.make(what, on);
    std::move(more.all.begin(), more.all.end(), std::back_inserter(made.all));
    made.notes.insert(made.notes.end(), more.notes.begin(), more.notes.end());
  }
  return made;
}

std::vector<bench_entry> entries_of(const contenders& made, const std::vector<double>& errors,
                                    const played_rounds& rounds, const problem& what) {
  const double points = static_cast<double>(volume(what.shape));
  // The sum of squares is off by twice the relative error of the values; as much again for summing up.
  const double limit = 4 * tolerance(what);
  std::vector<bench_entry> entries;
  for (std::size_t c = 0; c < made.all.size(); ++c) {
    bench_entry e{.who = made.all[c]->label(),
                  .seconds = summary_of(rounds.seconds[c]),
                  .hot = summary_of(rounds.hot[c]),
                  .parseval_error = errors[c]};
    e.gflops = e.seconds.min > 0 ? 5e-9 * points * std::log2(points) / e.seconds.min : 0;
    e.ok = errors[c] <= limit;
    entries.push_back(std::move(e));
  }
  const auto best = fastest(entries, &bench_entry::seconds, [](const contender_label& who) { return who.is_weft; });
  for (bench_entry& e : entries) e.ratio = best && *best > 0 ? e.seconds.min / *best : 0;
  return entries;
}

bench_case compare(const problem& what, const bench_settings& asked, const ranks& all, const std::vector<peer>& others,
                   const progress_line& progress) {
  const std::string title = title_of(what);
  progress.say(title + ": planning");
  const auto* const device = device_of(asked.device, all);
  array_pool parts(device), wholes(device);
  const bench_setup on{all, asked.threads, usable_cores(all), parts, wholes, asked.device, device};
  const contenders made = all_contenders(what, on, others);
  std::vector<double> errors;  // this first transform also touches every page
  for (const auto& one : made.all) errors.push_back(parseval_error(*one, transform_length(what), all));
  const played_rounds rounds = play_rounds(made.all, asked.rounds, all, [&](int played, int dirty) {
    progress.say(fmt::format("{}: round {} of {}{}", title, played + 1 - dirty, asked.rounds,
                             dirty > 0 ? fmt::format(", {} noisy", dirty) : ""));
  });
  bench_case found{.what = what, .entries = entries_of(made, errors, rounds, what)};
  found.played = rounds.played;
  found.dirty = rounds.dirty;
  found.seen = rounds.seen;
  found.ratios = ratios_of(found.entries, &bench_entry::seconds, "", false);
  found.message_ratios = ratios_of(found.entries, &bench_entry::seconds, "", true);
  found.hot_ratios = ratios_of(found.entries, &bench_entry::hot, "", false);
  found.hot_message_ratios = ratios_of(found.entries, &bench_entry::hot, "", true);
  for (const peer& p : others) {
    const bench_ratios alone = ratios_of(found.entries, &bench_entry::seconds, p.name, false);
    if (alone.any) found.peer_ratios.emplace_back(p.name, alone);
  }
  found.notes = made.notes;
  return found;
}

void check_targets(const bench_settings& asked, const ranks& all) {
  require_writable("--json", asked.json, all);
  require_writable("--plot", asked.plot, all);
}

}  // namespace

std::string title_of(const problem& what) {
  return fmt::format("{} {} {}{}", transform_name(what), name_of(what.element), weft::to_text(what.shape),
                     what.modes.empty() ? "" : " modes " + weft::to_text(what.modes));
}

int bench(const bench_settings& asked, const ranks& all) {
  check_targets(asked, all);
  const auto problems = problems_of(asked);
  for (const problem& what : problems) check_memory(what, asked, all);
  try {  // all ranks hear of a device that one has not
    plan({.shape = {2}}, all.communicator(), {.device = asked.device});
  } catch (const weft::error& e) {
    throw usage_error(e.what());
  }
  const auto others = chosen_peers(asked);
  for (const peer& p : others) p.start();
  bench_report found{.ranks = all.size()};
  {
    const progress_line progress(all);
    for (const problem& what : problems) {
      found.cases.push_back(compare(what, asked, all, others, progress));
      for (const bench_entry& e : found.cases.back().entries) found.ok = found.ok && e.ok;
    }
  }
  if (all.is_root()) {
    write_report(asked.json, to_text(asked, found), to_json(asked, found));
    const std::string note = asked.plot.empty() ? "" : write_plot(asked.plot, to_svg(found));
    if (!note.empty()) fmt::print(stderr, "weft: {}\n", note);
  }
  return found.ok ? 0 : 1;
}

}  // namespace weft::tool
