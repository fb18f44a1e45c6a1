#include <array>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "local/engine.hpp"
#include "local/engines/fftw.hpp"
#include "local/engines/reference.hpp"
#include "local/engines/weft.hpp"
#include "weft/error.hpp"

namespace weft::local {

std::span<const engine* const> engines() {
  static const std::array<const engine*, 3> table{&weft_engine(), &fftw_engine(), &reference_engine()};
  return table;
}

const engine& engine_named(std::string_view name) {
  if (name == "auto") return *engines().front();
  std::vector<std::string> known{"auto"};
  for (const engine* e : engines()) {
    if (e->name() == name) return *e;
    known.emplace_back(e->name());
  }
  throw name_error("unknown local engine '" + std::string(name) + "'; known: " + base::join(known));
}

}  // namespace weft::local
