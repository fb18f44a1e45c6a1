// SPDX-License-Identifier: BSD-3-Clause
#include "trace.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "report.hpp"
#include "svg.hpp"

namespace weft::tool {

namespace {

using json = nlohmann::json;

double seconds_of(std::chrono::steady_clock::time_point t) {
  return std::chrono::duration<double>(t.time_since_epoch()).count();
}

/// One rank's part, as text for the root.
std::string written(const plan& recorded, const clock_reading& clock) {
  json all{{"node", host_name()}, {"clock_error", clock.error}, {"events", json::array()}};
  for (const auto& e : recorded.timeline()) {
    all["events"].push_back({e.way, e.position, without_boxes(e.stage), e.kind, seconds_of(e.begin) - clock.ahead,
                             seconds_of(e.end) - clock.ahead});
  }
  return all.dump();
}

void add_rank(trace& t, const std::string& text) {
  const json part = json::parse(text);
  const std::string node = part["node"];
  const auto known = std::find(t.nodes.begin(), t.nodes.end(), node);
  t.node_of.push_back(static_cast<int>(known - t.nodes.begin()));
  if (known == t.nodes.end()) t.nodes.push_back(node);
  t.clock_error = std::max<double>(t.clock_error, part["clock_error"]);
  t.events.emplace_back();
  for (const auto& e : part["events"]) {
    t.events.back().push_back({.way = e[0], .position = e[1], .stage = e[2], .kind = e[3], .begin = e[4], .end = e[5]});
  }
}

/// From the clock's beginning to that of the trace.
void start_at_zero(trace& t) {
  double zero = 0;
  bool first = true;
  for (const auto& events : t.events) {
    if (events.empty()) continue;
    zero = first ? events.front().begin : std::min(zero, events.front().begin);
    first = false;
  }
  for (auto& events : t.events) {
    for (auto& e : events) {
      e.begin -= zero;
      e.end -= zero;
      t.seconds = std::max(t.seconds, e.end);
    }
  }
}

bool is_pass(activity kind) { return kind == activity::transform || kind == activity::copy; }

using stage_key = std::pair<direction, int>;

/// Tells events that wait for late ranks.
void mark_late(trace& t) {
  std::map<stage_key, double> last;  // by exchange: when the last rank started it
  for (auto& events : t.events) {
    std::map<direction, int> started;
    for (auto& e : events) {
      if (e.kind == activity::exchange) {
        started[e.way] = e.position;
        auto& latest = last.try_emplace({e.way, e.position}, e.begin).first->second;
        latest = std::max(latest, e.begin);
      }
      if (started.contains(e.way)) e.exchange = started[e.way];
    }
  }
  for (auto& events : t.events) {
    for (auto& e : events) {
      if (is_pass(e.kind) || is_beside(e.kind) || e.exchange < 0) continue;
      e.late = std::clamp(last[{e.way, e.exchange}] - e.begin, 0.0, e.seconds());
    }
  }
}

/// One rank's time in a stage.
struct share {
  double work = 0, waiting = 0, late = 0;
  double start = -1;  // of an exchange
};

void settle(const std::vector<share>& shares, stage_balance& b) {
  double sum = 0, latest = -1;
  for (std::size_t r = 0; r < shares.size(); ++r) {
    const share& s = shares[r];
    const double seconds = b.is_exchange ? s.work + s.waiting : s.work;
    const double merit = b.is_exchange ? s.start : s.work;
    if (merit > latest) b.slowest = static_cast<int>(r);
    latest = std::max(latest, merit);
    b.seconds = std::max(b.seconds, seconds);
    b.waiting += s.waiting / static_cast<double>(shares.size());
    sum += b.is_exchange ? s.late : s.work;
  }
  const auto others = static_cast<double>(shares.size() - 1);
  if (others > 0) b.others_wait = b.is_exchange ? sum / others : b.seconds - (sum - b.seconds) / others;
}

}  // namespace

const char* name_of(activity kind) {
  switch (kind) {
    case activity::transform: return "transform";
    case activity::copy: return "copy";
    case activity::exchange: return "exchange";
    case activity::wait: return "wait";
    case activity::download: return "download";
    case activity::upload: return "upload";
  }
  return "";
}

const char* name_of(direction way) { return way == direction::forward ? "forward" : "backward"; }

trace gather_trace(const plan& recorded, const ranks& all) {
  trace t;
  for (const auto& text : all.gather_to_root(written(recorded, compare_clocks(all)))) add_rank(t, text);
  start_at_zero(t);
  mark_late(t);
  return t;
}

std::vector<stage_balance> balance_of(const trace& t) {
  std::map<stage_key, stage_balance> stages;
  std::map<stage_key, std::vector<share>> shares;
  const auto share_of = [&](const stage_key& stage, std::size_t rank) -> share& {
    auto& all = shares[stage];
    all.resize(t.events.size());
    return all[rank];
  };
  for (std::size_t r = 0; r < t.events.size(); ++r) {
    for (const auto& e : t.events[r]) {
      if (is_beside(e.kind)) continue;
      const stage_key key{e.way, e.position};
      auto& b =
          stages.try_emplace(key, stage_balance{.way = e.way, .position = e.position, .stage = e.stage}).first->second;
      share& mine = share_of(key, r);
      (e.kind == activity::wait ? mine.waiting : mine.work) += e.seconds();
      if (e.kind == activity::exchange) {
        b.is_exchange = true;
        mine.start = e.begin;
      }
      if (e.exchange >= 0) share_of({e.way, e.exchange}, r).late += e.late;
    }
  }
  std::vector<stage_balance> all;
  for (auto& [key, b] : stages) {
    settle(shares[key], b);
    all.push_back(b);
  }
  return all;
}

std::string to_text(const stage_balance& b) {
  std::string text = fmt::format("{} {}: ", name_of(b.way), b.stage);
  if (b.is_exchange) {
    text += fmt::format("{} at most; rank {} comes last, the others wait {} for it", duration(b.seconds), b.slowest,
                        duration(b.others_wait));
  } else {
    text += fmt::format("rank {} is slowest with {}, the others are done {} sooner", b.slowest, duration(b.seconds),
                        duration(b.others_wait));
  }
  return b.waiting > 0 ? text + fmt::format("; {} in waits", duration(b.waiting)) : text;
}

nlohmann::ordered_json to_chrome_json(const trace& t, const std::string& title) {
  using ordered = nlohmann::ordered_json;
  ordered events = ordered::array();
  const auto name = [&](const char* what, int process, std::size_t thread, const std::string& text) {
    events.push_back({{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", text}}}});
  };
  for (std::size_t n = 0; n < t.nodes.size(); ++n) name("process_name", static_cast<int>(n), 0, "node " + t.nodes[n]);
  // Copies by a device run beside a rank's exchanges, and those down and up beside each other: threads of their own,
  // behind those of the ranks by number and beside them by order.
  const auto thread_of = [&](std::size_t rank, activity kind) {
    const std::size_t beside = t.events.size() + 2 * rank;
    return kind == activity::download ? beside : kind == activity::upload ? beside + 1 : rank;
  };
  for (std::size_t r = 0; r < t.events.size(); ++r) {
    const auto add_thread = [&](activity kind, std::size_t order, const std::string& text) {
      const std::size_t thread = thread_of(r, kind);
      name("thread_name", t.node_of[r], thread, text);
      events.push_back({{"ph", "M"},
                        {"name", "thread_sort_index"},
                        {"pid", t.node_of[r]},
                        {"tid", thread},
                        {"args", {{"sort_index", 3 * r + order}}}});
    };
    add_thread(activity::exchange, 0, "rank " + std::to_string(r));
    for (const activity kind : {activity::download, activity::upload}) {
      if (std::ranges::find(t.events[r], kind, &trace_event::kind) == t.events[r].end()) continue;
      add_thread(kind, kind == activity::download ? 1 : 2, "rank " + std::to_string(r) + ", " + name_of(kind) + "s");
    }
    for (const auto& e : t.events[r]) {
      events.push_back({{"ph", "X"},
                        {"name", e.kind == activity::wait ? "wait in " + e.stage : e.stage},
                        {"cat", name_of(e.kind)},
                        {"pid", t.node_of[r]},
                        {"tid", thread_of(r, e.kind)},
                        {"ts", 1e6 * e.begin},
                        {"dur", 1e6 * e.seconds()},
                        {"args", {{"direction", name_of(e.way)}, {"stage", e.stage}, {"position", e.position}}}});
    }
  }
  return {{"traceEvents", events},
          {"displayTimeUnit", "ms"},
          {"otherData", {{"title", title}, {"seconds", t.seconds}, {"clock_error", t.clock_error}}}};
}

std::string chart_beside(const std::string& file) {
  return std::filesystem::path(file).replace_extension(".svg").string();
}

trace_summary write_trace(const trace& t, const std::string& file, const std::string& title, std::string& note) {
  trace_summary s{file, chart_beside(file), t.seconds, t.clock_error, t.events.empty() ? 0.0 : 1.0, 0, balance_of(t)};
  for (const auto& events : t.events) {
    double exchanging = 0;
    for (const auto& e : events) exchanging += is_pass(e.kind) || is_beside(e.kind) ? 0 : e.seconds();
    const double part = t.seconds > 0 ? exchanging / t.seconds : 0;
    s.least_exchanging = std::min(s.least_exchanging, part);
    s.most_exchanging = std::max(s.most_exchanging, part);
  }
  std::ofstream out(file);
  out << to_chrome_json(t, title).dump() << '\n';
  out.close();
  note = out ? write_plot(s.chart, to_svg(t, title)) : "could not write '" + file + "'";
  return s;
}

}  // namespace weft::tool
