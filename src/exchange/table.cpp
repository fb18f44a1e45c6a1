// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "base/names.hpp"
#include "exchange/engine.hpp"
#include "exchange/engines/all.hpp"

namespace weft::exchange {

std::span<const engine* const> engines() {
  static constexpr std::array<const engine*, 8> table{&alltoallv_engine, &alltoallw_engine, &alltoall_engine,
                                                      &p2p_engine,       &pipelined_engine, &streamed_engine,
                                                      &window_engine,    &nodewise_engine};
  return table;
}

std::span<const engine* const> device_engines() {
  static constexpr std::array<const engine*, 3> table{&ipc_engine, &staged_engine, &nccl_engine};
  return table;
}

const engine& engine_named(std::string_view name) {
  for (const auto* e : device_engines()) {
    if (e->name == name) return *e;
  }
  return base::named(engines(), name, "exchange engine");
}

}  // namespace weft::exchange
