#include "weft/explain.hpp"

#include <algorithm>
#include <cstdio>

#include "facade/resolve.hpp"
#include "planner/choose.hpp"
#include "weft/error.hpp"

namespace weft {

namespace {

std::string seconds_text(double seconds) {
  char text[32];
  if (seconds < 1e-3) {
    std::snprintf(text, sizeof text, "%.1f us", seconds * 1e6);
  } else if (seconds < 1) {
    std::snprintf(text, sizeof text, "%.2f ms", seconds * 1e3);
  } else {
    std::snprintf(text, sizeof text, "%.3f s", seconds);
  }
  return text;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

candidate_estimate estimate_of(const planner::priced& p, integer batch, integer element_bytes) {
  candidate_estimate made;
  made.algorithm = std::string(p.made.algorithm);
  made.schedule = to_text(p.made.made);
  made.in = facade::without_batch(p.made.made.input, batch).text();
  made.out = facade::without_batch(output_of(p.made.made), batch).text();
  made.seconds = p.price.seconds();
  made.compute_seconds = p.price.compute_seconds;
  made.passes = p.price.passes;
  for (const auto& e : p.price.exchanges) {
    made.exchanges.push_back({e.sent.near_messages, e.sent.near_elements * element_bytes, e.sent.far_messages,
                              e.sent.far_elements * element_bytes, e.seconds});
  }
  return made;
}

}  // namespace

explanation explain(const problem& what, const options& how, int ranks) {
  if (ranks < 1) throw argument_error("ranks = " + std::to_string(ranks) + "; use 1 or more");
  const auto task = facade::resolve(what, how, ranks);
  const auto on = planner::parse_machine(how.machine);
  const auto all = planner::compare(task, how.algorithm, what.element, on);
  explanation made;
  made.ranks = ranks;
  made.machine = to_text(on);
  const auto bytes = static_cast<integer>(complex_bytes(what.element));
  for (const auto& p : all.candidates) made.candidates.push_back(estimate_of(p, what.batch, bytes));
  for (const auto& r : all.refusals) made.refused.push_back({std::string(r.algorithm), r.reason});
  return made;
}

std::string explanation::text(std::size_t most) const {
  std::string lines = "      time  against best   compute  exchanges  messages      bytes  passes  algorithm\n";
  const double best = candidates.empty() ? 1 : candidates.front().seconds;
  for (std::size_t i = 0; i < std::min(most, candidates.size()); ++i) {
    const auto& c = candidates[i];
    integer messages = 0, bytes = 0;
    for (const auto& e : c.exchanges) {
      messages += e.node_messages + e.network_messages;
      bytes += e.node_bytes + e.network_bytes;
    }
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.2f", best > 0 ? c.seconds / best : 1.0);
    lines += padded(seconds_text(c.seconds), 10) + padded(i == 0 ? "chosen" : ratio, 14) +
             padded(seconds_text(c.compute_seconds), 10) + padded(std::to_string(c.exchanges.size()), 11) +
             padded(std::to_string(messages), 10) + padded(std::to_string(bytes), 11) +
             padded(std::to_string(c.passes), 8) + "  " + c.algorithm + "  " + c.in + " -> " + c.out + "\n";
  }
  if (candidates.size() > most) lines += "  and " + std::to_string(candidates.size() - most) + " more, dearer ones\n";
  for (const auto& r : refused) lines += "not " + r.algorithm + ": " + r.reason + "\n";
  if (!candidates.empty()) lines += "schedule: " + candidates.front().schedule + "\n";
  return lines;
}

}  // namespace weft
