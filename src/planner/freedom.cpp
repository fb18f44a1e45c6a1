// SPDX-License-Identifier: BSD-3-Clause
#include "planner/freedom.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "device/device.hpp"
#include "local/device_engines.hpp"
#include "mpi/cuda_aware.hpp"
#include "weft/error.hpp"

namespace weft::planner {

namespace {

/// Why an engine cannot be used; empty if it can.
std::string why_not(const exchange::engine& e, const freedom& open) {
  if (e.shares && open.messages_only) {
    return "works in memory that ranks share, which an arena over given memory is not; use another engine, or an arena "
           "that grows";
  }
  if (e.own_card && !open.on_cards) return "needs a card for each rank, and the host plays this device";
  if (e.own_card && open.ranks_of_device > 1) {
    return "needs a card for each rank, and " + std::to_string(open.ranks_of_device) + " ranks share one";
  }
  const std::string missing = e.missing == nullptr ? "" : e.missing();
  return missing.empty() ? "" : "is not there: " + missing;
}

/// Throws unless an engine that is asked for moves arrays where they are. What the host plays, it also reaches.
void require_reach(const exchange::engine& e, const options& how, const freedom& open) {
  const std::string name = "exchange engine '" + std::string(e.name) + "' ";
  if (e.on_device && !open.on_device) {
    throw applicability_error(name + "moves arrays in a device's memory, and device is '" + how.device + "'");
  }
  if (!e.on_device && open.on_cards && !(e.any_memory && open.mpi_reaches)) {
    throw applicability_error(name + "moves arrays in the host's memory, and device is '" + how.device +
                              (e.any_memory ? "', from whose memory this MPI library does not send" : "'") +
                              "; use 'ipc' or 'staged'");
  }
  if (const auto reason = why_not(e, open); !reason.empty()) {
    throw applicability_error(name + reason + (e.on_device ? "; use 'ipc' or 'staged'" : ""));
  }
}

/// All sorts of lines that it transforms.
std::vector<local::line_sort> lines_of(const schedule& s) {
  const auto stations = stations_of(s);
  std::vector<local::line_sort> lines;
  for (std::size_t i = 0; i < s.stages.size(); ++i) {
    const auto* const t = std::get_if<transform_stage>(&s.stages[i]);
    if (t == nullptr) continue;
    const auto kinds = kinds_at(s, stations[i], *t);
    for (std::size_t j = 0; j < kinds.size(); ++j) {
      lines.push_back({kinds[j], length_at(s, stations[i], t->axes[j])});
    }
  }
  return lines;
}

}  // namespace

freedom freedom_of(const options& how, int ranks_of_device) {
  const std::string kind = device::parse_choice(how.device).kind;
  freedom open{how.algorithm, how.exchange, how.local, how.threads, 1, how.idle_ranks};
  open.on_device = kind != "cpu";
  open.on_cards = kind == "cuda";
  open.mpi_reaches = open.on_cards && mpi::takes_device_pointers();
  open.ranks_of_device = ranks_of_device;
  open.cufft_is_there = open.on_cards && local::why_no_device_engine("cufft").empty();
  open.messages_only = how.workspace.is_given();
  if (open.on_device && open.messages_only) {
    throw applicability_error("device '" + how.device +
                              "' has its workspace in its own memory; use an arena that grows");
  }
  for (const auto word : base::split_text(how.exchange, ',')) {
    const auto& e = exchange::engine_named(word);
    if (word != "auto") require_reach(e, how, open);
  }
  if (!open.on_device) return open;
  const auto names = local::device_engine_names();
  if (how.local == "auto") {
    if (how.deterministic) open.local = names.front();
  } else if (std::ranges::find(names, local::engine_named(how.local).name()) == names.end()) {
    throw applicability_error("local engine '" + how.local + "' does not reach the memory of device '" + how.device +
                              "'; use 'gpu'");
  }
  return open;
}

std::vector<const exchange::engine*> engines_at_hand(const freedom& open, int ranks, const machine& on) {
  const auto all = open.on_device ? exchange::device_engines() : exchange::engines();
  std::vector<const exchange::engine*> usable(all.begin(), all.end());
  // On one node, what gathers for others is what shares memory, once more; on several with a rank each, nobody shares
  // it.
  const bool one_node = ranks <= on.ranks_per_node, alone = !one_node && on.ranks_per_node == 1;
  std::erase_if(
      usable, [&](const exchange::engine* e) { return (one_node ? e->gathers : e->one_node) || (alone && e->shares); });
  std::erase_if(usable, [&](const exchange::engine* e) { return !why_not(*e, open).empty(); });
  if (open.on_device && open.mpi_reaches) {
    std::ranges::copy_if(exchange::engines(), std::back_inserter(usable), [](const auto* e) { return e->any_memory; });
  }
  return usable;
}

line_kind lacking(const local::engine& by, const schedule& s) {
  const auto stations = stations_of(s);
  for (std::size_t i = 0; i < s.stages.size(); ++i) {
    const auto* t = std::get_if<transform_stage>(&s.stages[i]);
    if (t == nullptr) continue;
    for (const line_kind kind : kinds_at(s, stations[i], *t)) {
      for (const line_kind needed : {kind, row_of(kind).inverse}) {
        if (!by.has(needed)) return needed;
      }
    }
  }
  return line_kind::none;
}

const local::engine& local_for(const freedom& open, const schedule& s, precision element) {
  const std::string& name = open.local;
  if (name == "auto" && open.on_device) {
    const bool both = open.on_cards && open.cufft_is_there;
    return local::engine_named(both ? local::usual_device_engine(lines_of(s), element)
                                    : local::device_engine_names().front());
  }
  const auto* by = &local::engine_named(name);
  if (name == "auto") {
    const auto can = [&](const local::engine* e) { return lacking(*e, s) == line_kind::none; };
    const auto found = std::ranges::find_if(local::engines(), can);
    if (found != local::engines().end()) by = *found;
  }
  if (const line_kind kind = lacking(*by, s); kind != line_kind::none) {
    throw applicability_error("local engine '" + std::string(by->name()) + "' has no " +
                              std::string(row_of(kind).name) + " transforms; name another one, or auto");
  }
  return *by;
}

}  // namespace weft::planner
