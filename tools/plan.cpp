// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "machine_file.hpp"
#include "report.hpp"
#include "run.hpp"
#include "sweep.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"
#include "weft/version.hpp"

namespace weft::tool {

namespace {

using json = nlohmann::ordered_json;

json to_json(const plan_settings& asked, const explanation& found) {
  json all;
  all["version"] = version();
  all["shape"] = asked.what.shape;
  all["ranks"] = found.ranks;
  all["machine"] = found.machine;
  all["wisdom"] = found.wisdom;
  all["candidates"] = json::array();
  for (const auto& c : found.candidates) {
    json exchanges = json::array();
    for (const auto& e : c.exchanges) {
      exchanges.push_back({{"node_messages", e.node_messages},
                           {"node_bytes", e.node_bytes},
                           {"network_messages", e.network_messages},
                           {"network_bytes", e.network_bytes},
                           {"seconds", e.seconds}});
    }
    all["candidates"].push_back({{"algorithm", c.algorithm},
                                 {"in", c.in},
                                 {"out", c.out},
                                 {"exchange", c.exchange},
                                 {"local", c.local},
                                 {"threads", c.threads},
                                 {"parts", c.parts},
                                 {"ranks", c.ranks},
                                 {"schedule", c.schedule},
                                 {"seconds", c.seconds},
                                 {"measured_seconds", c.measured_seconds ? json(*c.measured_seconds) : json()},
                                 {"workspace_bytes", c.workspace_bytes ? json(*c.workspace_bytes) : json()},
                                 {"compute_seconds", c.compute_seconds},
                                 {"passes", c.passes},
                                 {"array_bytes", c.array_bytes},
                                 {"exchanges", exchanges},
                                 {"verdict", c.verdict}});
  }
  all["refused"] = json::array();
  for (const auto& r : found.refused) all["refused"].push_back({{"algorithm", r.algorithm}, {"reason", r.reason}});
  return all;
}

}  // namespace

int explain_plan(const plan_settings& asked, const ranks& all) {
  require_writable("--json", asked.json, all);
  options how = asked.how;
  const bool here = asked.ranks == 0 || asked.ranks == all.size();
  if (!here && how.planning != effort::estimate) {
    throw usage_error(
        fmt::format("--effort measures on the ranks the program was started with, which are {}; leave out "
                    "--ranks {} or take --effort estimate",
                    all.size(), asked.ranks));
  }
  try {
    how.machine = machine_text(asked.machine_file, how.wisdom, all);
    if (asked.sweep) return sweep(asked, how, all);
    // Every rank plans, so that all meet the same errors.
    const auto found = how.planning == effort::estimate ? explain(asked.what, how, here ? all.size() : asked.ranks)
                                                        : plan(asked.what, all.communicator(), how).explain();
    if (!all.is_root()) return 0;
    const auto head =
        fmt::format("{} on {} rank{}{}\n", weft::to_text(asked.what.shape), found.ranks, found.ranks == 1 ? "" : "s",
                    how.planning == effort::estimate ? ", by the machine model" : "");
    write_report(asked.json, head + found.text(), to_json(asked, found));
  } catch (const weft::error& e) {
    throw usage_error(e.what());
  }
  return 0;
}

}  // namespace weft::tool
