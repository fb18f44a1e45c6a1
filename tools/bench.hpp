// SPDX-License-Identifier: BSD-3-Clause
// What `weft bench` found out, and its written forms.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contender.hpp"
#include "noise.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace weft::tool {

struct bench_entry {
  contender_label who = {};
  timing seconds = {};        ///< after others, with fresh arrays
  timing hot = {};            ///< after itself, with all in cache that has room there
  double gflops = 0;          ///< of the minimum of `seconds`
  double ratio = 0;           ///< minimum over that of the fastest Weft
  double parseval_error = 0;  ///< of the output's sum of squares, relative
  bool ok = true;
};

/// Fastest peer over fastest Weft; none where one of them is missing.
struct bench_ratios {
  std::optional<double> any;   ///< whatever the output's distribution
  std::optional<double> same;  ///< both return the array in the input's
};

struct bench_case {
  problem what = {};
  std::vector<bench_entry> entries = {};
  int played = 0;   ///< rounds
  int dirty = 0;    ///< noisy ones among those that count
  noise seen = {};  ///< the worst of those that count
  bench_ratios ratios = {}, message_ratios = {};
  bench_ratios hot_ratios = {}, hot_message_ratios = {};
  std::vector<std::pair<std::string, bench_ratios>> peer_ratios = {};  ///< of each peer library alone
  std::vector<std::string> notes = {};
};

struct bench_report {
  int ranks = 1;
  std::vector<bench_case> cases = {};
  bool ok = true;
};

[[nodiscard]] std::string title_of(const problem& what);
[[nodiscard]] nlohmann::ordered_json to_json(const bench_settings& asked, const bench_report& found);
[[nodiscard]] std::string to_text(const bench_settings& asked, const bench_report& found);
/// Bars of the minima.
[[nodiscard]] std::string to_svg(const bench_report& found);

}  // namespace weft::tool
