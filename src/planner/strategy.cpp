// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategy.hpp"

#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "base/text.hpp"
#include "exchange/engine.hpp"
#include "local/engine.hpp"
#include "weft/error.hpp"

namespace weft::planner {

namespace {

void require_algorithm(std::string_view name) {
  for (const auto& e : algorithm::algorithms()) {
    if (e.name == name) return;
  }
  throw name_error("unknown algorithm '" + std::string(name) + "'");
}

int parse_count(std::string_view text, std::string_view what, integer least, integer most) {
  const integer count = base::parse_integer(text, what);
  if (count < least || count > most) {
    throw argument_error(std::string(what) + " is " + std::to_string(count) + "; use " + std::to_string(least) +
                         " to " + std::to_string(most));
  }
  return static_cast<int>(count);
}

}  // namespace

std::string exchanges_text(const std::vector<std::string>& engines) {
  if (engines.empty()) return "none";
  const bool equal = std::ranges::all_of(engines, [&](const auto& e) { return e == engines.front(); });
  return equal ? engines.front() : base::join(engines, ",");
}

std::vector<std::string> parse_exchanges(std::string_view text, int count) {
  if (text == "none" && count == 0) return {};
  std::vector<std::string> names;
  for (const auto word : base::split_text(text, ',')) names.emplace_back(exchange::engine_named(word).name);
  if (names.size() == 1) names.resize(static_cast<std::size_t>(count), names.front());
  if (names.size() != static_cast<std::size_t>(count)) {
    throw argument_error("exchange engines '" + std::string(text) + "' are " + std::to_string(names.size()) + " for " +
                         std::to_string(count) + " exchanges; name one for all, or one for each");
  }
  return names;
}

std::string to_text(const strategy& s) {
  return "algorithm " + s.algorithm + "\nexchange " + exchanges_text(s.exchanges) + "\nlocal " + s.local +
         "\nthreads " + std::to_string(s.threads) + "\nparts " + std::to_string(s.parts) + "\nschedule " +
         core::to_text(s.forward) + "\n";
}

strategy parse_strategy(std::string_view text) {
  strategy s;
  std::string_view engines, schedule_text;
  for (const auto line : base::split_text(text, '\n')) {
    if (line.empty()) continue;
    const auto space = std::min(line.find(' '), line.size());
    const auto key = line.substr(0, space), value = base::trim(line.substr(space));
    if (key == "algorithm") {
      require_algorithm(value);
      s.algorithm = value;
    } else if (key == "exchange") {
      engines = value;
    } else if (key == "local") {
      s.local = local::engine_named(value).name();
    } else if (key == "threads") {
      s.threads = parse_count(value, "threads", 1, 1 << 20);
    } else if (key == "parts") {
      s.parts = parse_count(value, "parts", 0, 1 << 20);
    } else if (key == "schedule") {
      schedule_text = value;
    } else {
      throw argument_error("a strategy has no '" + std::string(key) + "'");
    }
  }
  if (s.algorithm.empty() || engines.empty() || s.local.empty() || schedule_text.empty()) {
    throw argument_error("a strategy needs algorithm, exchange, local and schedule");
  }
  s.forward = parse_schedule(schedule_text);
  s.exchanges = parse_exchanges(engines, exchanges_of(s.forward));
  return s;
}

}  // namespace weft::planner
