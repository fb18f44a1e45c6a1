// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "algorithm/all.hpp"
#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::algorithm {

std::span<const entry> algorithms() {
  static constexpr std::array<entry, 10> table{{{"slab", propose_slab},
                                                {"pencil", propose_pencil},
                                                {"highdim", propose_highdim},
                                                {"fewexchange", propose_fewexchange},
                                                {"brick", propose_brick},
                                                {"cyclic", propose_cyclic},
                                                {"volumetric", propose_volumetric},
                                                {"mixed", propose_mixed},
                                                {"groupcyclic", propose_groupcyclic},
                                                {"local", propose_local, true}}};
  return table;
}

std::string arrays_text(const task& problem) {
  if (problem.batch_axis < 0) return to_text(problem.shape);
  extents one = problem.shape;
  const auto batch = one.begin() + problem.batch_axis;
  const std::string arrays = " (batch " + std::to_string(*batch) + ")";
  one.erase(batch);
  return to_text(one) + arrays;
}

std::vector<candidate> propose(const task& problem, std::string_view name, std::vector<refusal>* refused) {
  std::vector<candidate> all;
  std::vector<std::string> known{"auto"}, reasons;
  bool found = name == "auto";
  for (const auto& e : algorithms()) {
    known.emplace_back(e.name);
    if (name != "auto" && name != e.name) continue;
    if (name == "auto" && e.last_resort && !all.empty()) {
      if (refused != nullptr) refused->push_back({e.name, "used only when nothing else applies"});
      continue;
    }
    found = true;
    proposal answer = e.propose(problem);
    if (answer.schedules.empty()) {
      reasons.push_back(std::string(e.name) + ": " + answer.reason);
      if (refused != nullptr) refused->push_back({e.name, answer.reason});
    }
    for (auto& s : answer.schedules) all.push_back({e.name, std::move(s)});
  }
  if (!found) throw name_error("unknown algorithm '" + std::string(name) + "'; known: " + base::join(known));
  if (all.empty()) {
    throw applicability_error("no schedule for " + arrays_text(problem) + " on " + std::to_string(problem.ranks) +
                              " ranks (" + base::join(reasons, "; ") +
                              "); try another algorithm, grid or distribution");
  }
  for (const auto& c : all) validate(c.schedule, problem.axes);
  return all;
}

}  // namespace weft::algorithm
