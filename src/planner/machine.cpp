#include "planner/machine.hpp"

#include <array>
#include <charconv>
#include <cmath>
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

constexpr std::array<field, 7> fields{
    {{"node_message_seconds", [](machine& m) -> double& { return m.node.message_seconds; }},
     {"node_byte_seconds", [](machine& m) -> double& { return m.node.byte_seconds; }},
     {"network_message_seconds", [](machine& m) -> double& { return m.network.message_seconds; }},
     {"network_byte_seconds", [](machine& m) -> double& { return m.network.byte_seconds; }},
     {"pass_byte_seconds", [](machine& m) -> double& { return m.pass_byte_seconds; }},
     {"flop_seconds", [](machine& m) -> double& { return m.flop_seconds; }},
     {"tile_bytes", [](machine& m) -> double& { return m.tile_bytes; }}}};

double parse_number(std::string_view text, std::string_view name) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value < 0) {
    throw argument_error("machine: " + std::string(name) + " is '" + std::string(text) +
                         "'; write a number of 0 or more");
  }
  return value;
}

}  // namespace

std::string to_text(const machine& m) {
  std::ostringstream out;
  out.precision(17);
  out << "name " << m.name << "\nranks_per_node " << m.ranks_per_node << "\n";
  machine copy = m;
  for (const auto& f : fields) out << f.name << " " << f.of(copy) << "\n";
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
