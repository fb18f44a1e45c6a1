#include <array>

#include "base/names.hpp"
#include "local/engine.hpp"
#include "local/engines/fftw.hpp"
#include "local/engines/reference.hpp"
#include "local/engines/weft.hpp"

namespace weft::local {

std::span<const engine* const> engines() {
  static const std::array<const engine*, 3> table{&weft_engine(), &fftw_engine(), &reference_engine()};
  return table;
}

const engine& engine_named(std::string_view name) { return base::named(engines(), name, "local engine"); }

}  // namespace weft::local
