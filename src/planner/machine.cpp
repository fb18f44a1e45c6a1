// SPDX-License-Identifier: BSD-3-Clause
#include "planner/machine.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <locale>
#include <sstream>
#include <vector>

#include "base/text.hpp"
#include "weft/error.hpp"

namespace weft::planner {

namespace {

struct field {
  std::string_view name;
  double& (*of)(machine&);
};

constexpr std::array<field, 34> fields{
    {{"node_message_seconds", [](machine& m) -> double& { return m.node.message_seconds; }},
     {"node_byte_seconds", [](machine& m) -> double& { return m.node.byte_seconds; }},
     {"network_message_seconds", [](machine& m) -> double& { return m.network.message_seconds; }},
     {"network_byte_seconds", [](machine& m) -> double& { return m.network.byte_seconds; }},
     {"network_latency_seconds", [](machine& m) -> double& { return m.network.latency_seconds; }},
     {"network_both_ways", [](machine& m) -> double& { return m.network.both_ways; }},
     {"network_contention", [](machine& m) -> double& { return m.network.contention; }},
     {"network_overlap", [](machine& m) -> double& { return m.network.overlap; }},
     {"network_lone_byte_seconds", [](machine& m) -> double& { return m.network.lone_byte_seconds; }},
     {"shared_byte_seconds", [](machine& m) -> double& { return m.shared_byte_seconds; }},
     {"barrier_seconds", [](machine& m) -> double& { return m.barrier_seconds; }},
     {"exchange_seconds", [](machine& m) -> double& { return m.exchange_seconds; }},
     {"run_seconds", [](machine& m) -> double& { return m.run_seconds; }},
     {"bundle_seconds", [](machine& m) -> double& { return m.bundle_seconds; }},
     {"ring_passes", [](machine& m) -> double& { return m.ring_passes; }},
     {"page_seconds", [](machine& m) -> double& { return m.page_seconds; }},
     {"pass_byte_seconds", [](machine& m) -> double& { return m.pass_byte_seconds; }},
     {"cached_byte_seconds", [](machine& m) -> double& { return m.cached_byte_seconds; }},
     {"cache_bytes", [](machine& m) -> double& { return m.cache_bytes; }},
     {"flop_seconds", [](machine& m) -> double& { return m.flop_seconds; }},
     {"tile_bytes", [](machine& m) -> double& { return m.tile_bytes; }},
     {"pass_seconds", [](machine& m) -> double& { return m.pass_seconds; }},
     {"copied_byte_seconds", [](machine& m) -> double& { return m.copied_byte_seconds; }},
     {"direct_message_seconds", [](machine& m) -> double& { return m.direct.message_seconds; }},
     {"direct_byte_seconds", [](machine& m) -> double& { return m.direct.byte_seconds; }},
     {"of_devices", [](machine& m) -> double& { return m.of_devices; }},
     {"device_byte_seconds", [](machine& m) -> double& { return m.device.byte_seconds; }},
     {"device_flop_seconds", [](machine& m) -> double& { return m.device.flop_seconds; }},
     {"device_pass_seconds", [](machine& m) -> double& { return m.device.pass_seconds; }},
     {"device_turn_seconds", [](machine& m) -> double& { return m.device.turn_seconds; }},
     {"device_wait_seconds", [](machine& m) -> double& { return m.device.wait_seconds; }},
     {"device_card_byte_seconds", [](machine& m) -> double& { return m.device.card_byte_seconds; }},
     {"device_link_byte_seconds", [](machine& m) -> double& { return m.device.link_byte_seconds; }},
     {"device_copy_byte_seconds", [](machine& m) -> double& { return m.device.copy_byte_seconds; }}}};

double parse_number(std::string_view text, std::string_view name) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value < 0) {
    throw argument_error("machine: " + std::string(name) + " is '" + std::string(text) +
                         "'; write a number of 0 or more");
  }
  return value;
}

/// "LENGTH SECONDS".
void parse_line_seconds(machine& m, std::string_view value) {
  const auto space = value.find(' ');
  const integer length = base::parse_integer(value.substr(0, space), "line_seconds");
  if (length < 2) throw argument_error("machine: line_seconds of length " + std::to_string(length) + "; use 2 or more");
  const auto seconds = space == std::string_view::npos ? std::string_view{} : base::trim(value.substr(space));
  m.line_seconds[length] = parse_number(seconds, "line_seconds");
}

/// Lengths are alike if butterflies do both, or neither.
bool has_butterflies(integer n) {
  for (const integer p : {2, 3, 5, 7, 11, 13}) {
    while (n > 0 && n % p == 0) n /= p;
  }
  return n == 1;
}

}  // namespace

machine with_devices(machine m, int ranks_of_device, bool led) {
  if (m.of_devices != 0) return m;
  m.of_devices = 1;
  m.name += " with devices";
  // Ranks of one card share what it can do.
  const double share = ranks_of_device;
  const device_figures& d = m.device;
  m.pass_byte_seconds = m.cached_byte_seconds = d.byte_seconds * share;
  m.flop_seconds = d.flop_seconds * share;
  m.line_seconds.clear();
  m.pass_seconds = d.pass_seconds * share;
  m.cache_bytes = m.page_seconds = m.run_seconds = m.bundle_seconds = m.ring_passes = 0;
  m.tile_bytes = 0;  // an axis has a pass of its own
  m.exchange_seconds += d.wait_seconds + (led ? 0 : (share - 1) * d.turn_seconds);
  m.shared_byte_seconds = ranks_of_device < m.ranks_per_node ? d.link_byte_seconds : d.card_byte_seconds * share;
  m.direct = {m.node.message_seconds + d.wait_seconds / 2, d.link_byte_seconds};
  m.copied_byte_seconds = d.copy_byte_seconds * share;
  return m;
}

double element_seconds(const machine& m, integer n, precision element) {
  const double logarithm = std::log2(static_cast<double>(std::max<integer>(2, n)));
  const double size = element == precision::f32 ? 0.5 : 1;
  const double* nearest = nullptr;
  double distance = 0;
  for (const auto& [length, seconds] : m.line_seconds) {
    if (has_butterflies(length) != has_butterflies(n)) continue;
    const double away = std::abs(std::log2(static_cast<double>(length)) - logarithm);
    if (nearest != nullptr && away >= distance) continue;
    nearest = &seconds;
    distance = away;
  }
  return size * (nearest != nullptr ? *nearest : 5 * logarithm * m.flop_seconds);
}

std::string to_text(const machine& m) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(17);
  out << "name " << m.name << "\nranks_per_node " << m.ranks_per_node << "\n";
  machine copy = m;
  for (const auto& f : fields) out << f.name << " " << f.of(copy) << "\n";
  for (const auto& [length, seconds] : m.line_seconds) out << "line_seconds " << length << " " << seconds << "\n";
  return out.str();
}

machine parse_machine(std::string_view text) {
  machine m;
  for (auto line : base::split_text(text, '\n')) {
    line = base::trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto space = line.find(' ');
    const auto name = line.substr(0, space);
    const auto value = space == std::string_view::npos ? std::string_view{} : base::trim(line.substr(space));
    bool known = true;
    if (name == "name") {
      m.name = std::string(value);
    } else if (name == "ranks_per_node") {
      const integer ranks = base::parse_integer(value, "ranks_per_node");
      if (ranks < 1 || ranks > (1 << 30)) {
        throw argument_error("machine: ranks_per_node is " + std::to_string(ranks) + "; use 1 to 2^30");
      }
      m.ranks_per_node = static_cast<int>(ranks);
    } else if (name == "line_seconds") {
      parse_line_seconds(m, value);
    } else {
      known = false;
      for (const auto& f : fields) {
        if (f.name != name) continue;
        f.of(m) = parse_number(value, name);
        known = true;
      }
    }
    if (!known) throw argument_error("machine: unknown line '" + std::string(line) + "'");
  }
  return m;
}

}  // namespace weft::planner
