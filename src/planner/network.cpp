// SPDX-License-Identifier: BSD-3-Clause
#include "planner/network.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "mpi/agreement.hpp"
#include "mpi/probe.hpp"
#include "planner/topology.hpp"
#include "weft/error.hpp"

namespace weft::planner {

namespace {

constexpr std::size_t least_large = std::size_t{64} << 10, most_large = std::size_t{4} << 20;
constexpr double slow_seconds = 8e-3;  // where a message takes so long, none is larger
constexpr std::size_t least_bytes = 8, some_bytes = 1024;
constexpr int many = 16;
// Sockets move messages while a rank computes. What is faster than this is probably moved by the cores themselves,
// which cannot compute meanwhile.
constexpr double usual_overlap = 0.9;
constexpr double least_overlapping_byte_seconds = 4e-9;

using pattern = mpi::correspondents;

/// The ranks of each node.
std::vector<std::vector<int>> members_of(const exchange::node_map& nodes) {
  std::map<int, std::vector<int>> by_first;
  for (int r = 0; r < nodes.ranks(); ++r) by_first[nodes.first_of(r)].push_back(r);
  std::vector<std::vector<int>> all;
  for (auto& [first, ranks] : by_first) all.push_back(std::move(ranks));
  return all;
}

/// Every rank and its counterparts on other nodes.
class counterparts {
 public:
  counterparts(int rank, const exchange::node_map& nodes) : members_(members_of(nodes)) {
    for (std::size_t n = 0; n < members_.size(); ++n) {
      const auto here = std::ranges::find(members_[n], rank);
      if (here == members_[n].end()) continue;
      node_ = n;
      place_ = static_cast<std::size_t>(here - members_[n].begin());
    }
  }

  [[nodiscard]] std::size_t nodes() const { return members_.size(); }
  [[nodiscard]] bool share_nodes() const {
    return std::ranges::any_of(members_, [](const auto& ranks) { return ranks.size() > 1; });
  }
  /// Every node sends to the one `step` further, in a circle.
  [[nodiscard]] pattern shifted(std::size_t step) const {
    return {on_node((node_ + step) % nodes()), on_node((node_ + nodes() - step) % nodes())};
  }
  /// One rank of each node does that.
  [[nodiscard]] pattern alone() const { return place_ == 0 ? shifted(1) : pattern{}; }
  /// Every second node sends to the next.
  [[nodiscard]] pattern one_way() const {
    if (node_ % 2 == 1) return {-1, on_node(node_ - 1)};
    return {node_ + 1 < nodes() ? on_node(node_ + 1) : -1, -1};
  }

 private:
  [[nodiscard]] int on_node(std::size_t n) const { return place_ < members_[n].size() ? members_[n][place_] : -1; }

  std::vector<std::vector<int>> members_;
  std::size_t node_ = 0, place_ = 0;
};

/// Seconds of a byte, without what the first message takes more or, where a link saves up for bursts, less.
double byte_seconds(const mpi::communicator& on, pattern with, std::size_t bytes, int times) {
  const double first = mpi::seconds_of_messages(on, with, 1, bytes, times);
  const double all = mpi::seconds_of_messages(on, with, 3, bytes, times);
  return std::max((all - first) / (2 * static_cast<double>(bytes)), all / (12 * static_cast<double>(bytes)));
}

/// What this process has learned, on rank 0 of some plan.
struct memory_of_process {
  std::mutex guard;
  std::map<std::string, std::string> models;
};
memory_of_process& remembered() {
  static memory_of_process all;
  return all;
}

std::string recall(const std::string& nodes) {
  const std::lock_guard lock(remembered().guard);
  const auto found = remembered().models.find(nodes);
  return found == remembered().models.end() ? std::string() : found->second;
}

void remember(const std::string& nodes, const std::string& model) {
  const std::lock_guard lock(remembered().guard);
  remembered().models[nodes] = model;
}

/// The first node by name, and a number that tells these nodes from others, and in which order the ranks lie on them.
std::string name_of_nodes(const crew& on) {
  const std::string here = node_name();
  std::uint64_t hash = 0xCBF29CE484222325U;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001B3U; };
  for (const char c : here) mix(static_cast<unsigned char>(c));
  mix(static_cast<std::uint64_t>(on.all.rank()));
  mix(static_cast<std::uint64_t>(on.nodes->first_of(on.all.rank())));
  long long sum = static_cast<long long>(hash >> 1U) / std::max(1, on.all.size());
  mpi::sum(on.all, std::span(&sum, 1));
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), " %016llx", static_cast<unsigned long long>(sum));
  return mpi::broadcast(on.all, here, 0) + number.data();
}

std::string figures_text(const network_level& n) {
  std::array<char, 120> text{};
  std::snprintf(text.data(), text.size(), "%.0f us, %.0f MB/s each way for a rank", 1e6 * n.latency_seconds,
                n.byte_seconds > 0 ? 1e-6 / (2 * n.byte_seconds) : 0.0);
  return text.data();
}

}  // namespace

network_level survey_network(const mpi::communicator& on, const exchange::node_map& nodes) {
  network_level found;
  std::optional<counterparts> others;
  mpi::agree(on, [&] { others.emplace(on.rank(), nodes); });
  const auto round = others->shifted(1);
  (void)mpi::seconds_of_messages(on, round, 1, least_bytes, 2);  // connects
  found.latency_seconds = mpi::seconds_of_messages(on, round, 1, least_bytes, 20);
  const double one = mpi::seconds_of_messages(on, round, 1, some_bytes, 10);
  const double several = mpi::seconds_of_messages(on, round, many, some_bytes, 5);
  found.message_seconds = std::max(0.0, several - one) / (2 * (many - 1));
  std::size_t bytes = least_large;
  double seconds = mpi::seconds_of_messages(on, round, 1, bytes, 1);
  while (seconds < slow_seconds && bytes < most_large) {
    bytes *= 2;
    seconds = mpi::seconds_of_messages(on, round, 1, bytes, 1);
  }
  constexpr int times = 5;
  const double both = byte_seconds(on, round, bytes, times);
  const double alone = byte_seconds(on, others->one_way(), bytes, times);
  found.byte_seconds = both / 2;
  found.both_ways = std::clamp(both / alone, 1.0, 2.0);
  if (others->nodes() > 3) {
    const double across = byte_seconds(on, others->shifted(others->nodes() / 2), bytes, times);
    found.contention = std::clamp(across / both, 1.0, static_cast<double>(others->nodes()));
  }
  if (others->share_nodes()) found.lone_byte_seconds = byte_seconds(on, others->alone(), bytes, times) / 2;
  found.overlap = both < least_overlapping_byte_seconds ? 0 : usual_overlap;
  return found;
}

network_figures network_of(const crew& on, const knowledge& known, const std::string& wisdom_file) {
  const std::string nodes = name_of_nodes(on);
  wisdom::fields question;
  std::string model, source;
  mpi::agree(on.all, [&] {
    question = question_of(known.where);
    question.emplace_back("nodes", nodes);
    if (on.all.rank() != 0) return;
    model = recall(nodes);
    source = "as measured before";
    const auto* const kept = wisdom_file.empty() ? nullptr : known.entries.find("network", question);
    if (kept == nullptr) return;
    try {
      model = to_text(parse_machine(model_text(*kept)));
      source = "from '" + wisdom_file + "'";
    } catch (const argument_error&) {
      model.clear();  // to be measured anew
    }
  });
  model = mpi::broadcast(on.all, model, 0);
  if (model.empty()) {
    const auto begin = std::chrono::steady_clock::now();
    machine measured;
    measured.network = survey_network(on.all, *on.nodes);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    mpi::agree(on.all, [&] {
      if (on.all.rank() != 0) return;
      model = to_text(measured);
      std::array<char, 40> text{};
      std::snprintf(text.data(), text.size(), "measured in %.2f s", spent.count());
      source = text.data();
      remember(nodes, model);
      if (wisdom_file.empty()) return;
      wisdom learned;
      auto answer = answer_of(measured);
      std::erase_if(answer, [](const auto& f) { return !f.first.starts_with("network_"); });
      learned.add({"network", question, std::move(answer)});
      try {
        learned.save_into(wisdom_file, true);
      } catch (const std::exception&) {
        // It is known now; that it must be measured again next time is no reason to fail.
      }
    });
    model = mpi::broadcast(on.all, model, 0);
  }
  network_figures result;
  source = mpi::broadcast(on.all, source, 0);
  mpi::agree(on.all, [&] {
    result.of = parse_machine(model).network;
    result.source = figures_text(result.of) + "; " + source;
  });
  return result;
}

}  // namespace weft::planner
