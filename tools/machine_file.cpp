// SPDX-License-Identifier: BSD-3-Clause
#include "machine_file.hpp"

#include <fstream>
#include <iterator>

#include "settings.hpp"
#include "weft/machine.hpp"

namespace weft::tool {

std::string machine_text(const std::string& name, const std::string& wisdom, const ranks& all) {
  if (name.empty()) return {};
  if (name == "measured") return measure_machine(all.communicator(), wisdom);
  std::ifstream file;
  if (all.is_root()) file.open(name);
  if (!all.from_root(!all.is_root() || file.good())) {
    throw usage_error("the machine file '" + name + "' cannot be read; give a readable one or leave it out");
  }
  return all.from_root(std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()));
}

}  // namespace weft::tool
