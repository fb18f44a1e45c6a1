// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench.hpp"
#include "peers/peer.hpp"
#include "transform_name.hpp"
#include "weft/version.hpp"

namespace weft::tool {

namespace {

using json = nlohmann::ordered_json;

std::string full_name(const contender_label& who) { return who.library + " " + who.variant; }

std::string table(const bench_case& c) {
  std::size_t width = 10;
  for (const auto& e : c.entries) width = std::max(width, full_name(e.who).size());
  std::string text = fmt::format("  {:<{}}  out    {:>9}  {:>9}  {:>9}  {:>8}  {:>9}\n", "", width, "min ms",
                                 "median ms", "hot ms", "GFlop/s", "/ best");
  for (const auto& e : c.entries) {
    text += fmt::format("  {:<{}}  {:<5}  {:>9.4g}  {:>9.4g}  {:>9.4g}  {:>8.2f}  {:>9.2f}{}\n", full_name(e.who),
                        width, e.who.keeps_distribution ? "same" : "other", 1e3 * e.seconds.min, 1e3 * e.seconds.median,
                        1e3 * e.hot.min, e.gflops, e.ratio,
                        e.ok ? "" : fmt::format("  BAD: off by {:.1e}", e.parseval_error));
  }
  return text;
}

std::string ratio_line(const std::string& label, const bench_ratios& r) {
  if (!r.any && !r.same) return {};
  const auto number = [](const std::optional<double>& x) { return x ? fmt::format("{:.2f}", *x) : std::string("-"); };
  return fmt::format("  {:<40} {} with any output, {} with the input's distribution\n", label, number(r.any),
                     number(r.same));
}

std::string notes_of(const bench_case& c, int rounds) {
  std::string text;
  if (c.dirty > 0) {
    text += fmt::format(
        "  note: {} of the {} rounds that count stayed noisy ({} played): others took up to {:.0f}% and the "
        "hypervisor {:.0f}% of the CPU time\n",
        c.dirty, rounds, c.played, 100 * c.seen.foreign, 100 * c.seen.steal);
  }
  for (const auto& note : c.notes) text += "  note: " + note + "\n";
  return text;
}

json ratios_json(const bench_ratios& r) {
  const auto number = [](const std::optional<double>& x) { return x ? json(*x) : json(nullptr); };
  return {{"any", number(r.any)}, {"same", number(r.same)}};
}

json entry_json(const bench_entry& e) {
  return {{"library", e.who.library},
          {"variant", e.who.variant},
          {"keeps_distribution", e.who.keeps_distribution},
          {"in_place", e.who.in_place},
          {"by_messages", e.who.by_messages},
          {"min", e.seconds.min},
          {"median", e.seconds.median},
          {"max", e.seconds.max},
          {"hot", {{"min", e.hot.min}, {"median", e.hot.median}, {"max", e.hot.max}}},
          {"gflops", e.gflops},
          {"ratio", e.ratio},
          {"parseval_error", e.parseval_error},
          {"ok", e.ok}};
}

json case_json(const bench_case& c) {
  json one;
  one["shape"] = c.what.shape;
  one["transform"] = transform_name(c.what);
  one["modes"] = c.what.modes.empty() ? c.what.shape : c.what.modes;
  one["precision"] = name_of(c.what.element);
  one["rounds_played"] = c.played;
  one["rounds_dirty"] = c.dirty;
  one["noise"] = {{"foreign", c.seen.foreign}, {"steal", c.seen.steal}};
  one["contenders"] = json::array();
  for (const auto& e : c.entries) one["contenders"].push_back(entry_json(e));
  one["ratios"] = ratios_json(c.ratios);
  one["message_ratios"] = ratios_json(c.message_ratios);
  one["hot_ratios"] = ratios_json(c.hot_ratios);
  one["hot_message_ratios"] = ratios_json(c.hot_message_ratios);
  one["peer_ratios"] = json::object();
  for (const auto& [name, alone] : c.peer_ratios) one["peer_ratios"][name] = ratios_json(alone);
  one["notes"] = c.notes;
  return one;
}

}  // namespace

std::string to_text(const bench_settings& asked, const bench_report& found) {
  std::vector<std::string> built;
  for (const peer& p : built_peers()) built.push_back(p.name);
  std::string text =
      fmt::format("weft {}, {}, {} rank{}, {} thread{} each, {} interleaved rounds\n", version(), short_mpi_version(),
                  found.ranks, found.ranks == 1 ? "" : "s", asked.threads, asked.threads == 1 ? "" : "s", asked.rounds);
  text += fmt::format("peers of this build: {}\n", built.empty() ? "none" : fmt::format("{}", fmt::join(built, ", ")));
  if (asked.device != "cpu") text += fmt::format("device: {}\n", asked.device);
  for (const bench_case& c : found.cases) {
    text += "\n" + title_of(c.what) + "\n" + table(c);
    text += ratio_line("fastest peer / fastest Weft:", c.ratios);
    if (found.ranks > 1) text += ratio_line("fastest peer / Weft by messages only:", c.message_ratios);
    text += ratio_line("the same with hot caches:", c.hot_ratios);
    if (found.ranks > 1) text += ratio_line("by messages only with hot caches:", c.hot_message_ratios);
    if (c.peer_ratios.size() > 1) {
      for (const auto& [name, alone] : c.peer_ratios) text += ratio_line(name + " / fastest Weft:", alone);
    }
    text += notes_of(c, asked.rounds);
  }
  return text;
}

json to_json(const bench_settings& asked, const bench_report& found) {
  json all;
  all["version"] = version();
  all["mpi"] = short_mpi_version();
  all["ranks"] = found.ranks;
  all["threads"] = asked.threads;
  all["device"] = asked.device;
  all["rounds"] = asked.rounds;
  all["peers"] = json::array();
  for (const peer& p : built_peers()) all["peers"].push_back({{"name", p.name}, {"about", p.about}});
  all["cases"] = json::array();
  for (const bench_case& c : found.cases) all["cases"].push_back(case_json(c));
  all["ok"] = found.ok;
  return all;
}

}  // namespace weft::tool
