// SPDX-License-Identifier: BSD-3-Clause
#include "base/names.hpp"
#include "local/engine.hpp"
#include "local/engines/fftw.hpp"
#include "local/engines/gpu.hpp"
#include "local/engines/reference.hpp"
#include "local/engines/weft.hpp"

namespace weft::local {

std::span<const engine* const> engines() {
  static const auto table = [] {
    std::vector<const engine*> all{&weft_engine(), fftw_engine(), &reference_engine(), &gpu_engine()};
    std::erase(all, nullptr);
    return all;
  }();
  return table;
}

const engine& engine_named(std::string_view name) {
  const bool absent = name == "fftw" && fftw_engine() == nullptr;
  return base::named(engines(), name, "local engine",
                     absent ? "this build is without FFTW, install it and configure with -DWEFT_FFTW=ON" : "");
}

}  // namespace weft::local
