// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"
#include "report.hpp"
#include "transform_name.hpp"
#include "weft/version.hpp"

namespace weft::tool {

namespace {

using json = nlohmann::ordered_json;

json to_json(const timing& t) { return {{"min", t.min}, {"median", t.median}, {"max", t.max}}; }

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json to_json(const trace_summary& t) {
  json stages = json::array();
  for (const auto& b : t.balance) {
    stages.push_back({{"direction", name_of(b.way)},
                      {"stage", b.stage},
                      {"kind", b.is_exchange ? "exchange" : "pass"},
                      {"seconds", b.seconds},
                      {"slowest_rank", b.slowest},
                      {"others_wait", b.others_wait},
                      {"waiting", b.waiting}});
  }
  return {{"file", t.file},
          {"chart", t.chart},
          {"seconds", t.seconds},
          {"clock_error", t.clock_error},
          {"exchanging", {{"least", t.least_exchanging}, {"most", t.most_exchanging}}},
          {"stages", stages}};
}

json floor_json(const run_report& found) {
  if (!found.floor) return nullptr;
  return {{"seconds", found.floor->seconds()}, {"share", found.floor_share()},        {"passes", found.floor->passes},
          {"bytes", found.floor->bytes},       {"bandwidth", found.floor->bandwidth}, {"flops", found.floor->flops},
          {"rate", found.floor->rate}};
}

json box_json(const box& part) {
  return part.low.empty() ? json(nullptr) : json{{"low", part.low}, {"high", part.high}};
}

}  // namespace

json to_json(const run_settings& asked, const run_report& found) {
  json all;
  all["version"] = version();
  all["mpi"] = short_mpi_version();
  all["shape"] = asked.what.shape;
  all["transform"] = transform_name(asked.what);
  all["modes"] = asked.what.modes.empty() ? asked.what.shape : asked.what.modes;
  all["input_box"] = box_json(asked.what.input_box);
  all["output_box"] = box_json(asked.what.output_box);
  all["sphere"] = asked.sphere.empty() ? json(nullptr) : json(asked.sphere);
  all["axes"] = transformed_axes(asked.what);
  all["real_axis"] = halved_axis(asked.what) >= 0 ? json(halved_axis(asked.what)) : json(nullptr);
  all["precision"] = name_of(asked.what.element);
  all["batch"] = asked.what.batch;
  all["interleaved"] = asked.what.interleaved;
  all["normalization"] = name_of(asked.how.scaling);
  all["in_place"] = asked.how.in_place;
  all["shared_arrays"] = asked.shared_arrays;
  all["device"] = asked.how.device;
  all["ranks"] = found.ranks;
  all["grid"] = found.grid;
  all["in"] = found.in;
  all["out"] = found.out;
  all["algorithm"] = found.plan.algorithm;
  all["engine"] = found.plan.exchange;
  all["local"] = found.plan.local;
  all["threads"] = found.plan.threads;
  all["ranks_used"] = found.plan.ranks;
  all["schedule"] = found.plan.schedule;
  all["exchanges"] = found.plan.exchanges;
  all["messages_per_rank"] = found.plan.messages;
  all["bytes_per_rank"] = found.plan.bytes;
  all["led"] = found.plan.led;
  all["travels_as"] = found.plan.travels_as;
  all["workspace_bytes"] = found.plan.workspace_bytes;
  all["plan_seconds"] = found.plan_seconds;
  all["ways_timed"] = found.plan.timed;
  all["wisdom"] = found.plan.wisdom;
  all["network"] = found.plan.network;
  all["reps"] = asked.reps;
  all["warmup"] = asked.warmup;
  all["seed"] = asked.seed;
  all["forward"] = to_json(found.forward);
  all["backward"] = to_json(found.backward);
  all["gflops"] = found.gflops;
  all["floor"] = floor_json(found);
  all["stages"] = json::array();
  for (const auto& s : found.stages) all["stages"].push_back({{"stage", s.stage}, {"seconds", s.seconds}});
  all["trace"] = found.traced ? to_json(*found.traced) : json(nullptr);
  all["error_roundtrip"] = or_null(found.error_roundtrip);
  all["error_forward"] = or_null(found.error_forward);
  all["tolerance"] = found.tolerance;
  all["input_kept"] = or_null(found.input_kept);
  all["noise"] = {{"foreign", found.seen.foreign}, {"steal", found.seen.steal}, {"seconds", found.seen.seconds}};
  all["ok"] = found.ok;
  return all;
}

}  // namespace weft::tool
