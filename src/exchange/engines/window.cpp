// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/engines/all.hpp"
#include "exchange/engines/window_channel.hpp"
#include "exchange/parts.hpp"
#include "exchange/shared_image.hpp"
#include "weft/error.hpp"

namespace weft::exchange {

namespace {

geometry describe(const exchange_problem& problem, int way, std::span<const integer> /*agreed*/) {
  geometry result = shared_geometry(problem, way);
  divide_between_nodes(result, problem);
  return result;
}

/// Messages to other nodes would leave from a device's memory.
std::vector<int> one_node_ways(const exchange_problem& problem) {
  if (!problem.nodes->single()) {
    throw applicability_error("exchange engine 'ipc' needs all ranks on one node; use 'staged'");
  }
  return shared_ways(problem);
}

}  // namespace

constexpr engine window_engine{.name = "window",
                               .shares = true,
                               .in_pieces = true,
                               .facts = nullptr,
                               .ways = shared_ways,
                               .describe = describe,
                               .groups = shared_groups,
                               .open = open_as<window_channel>};

/// Whoever runs a program waits for its device before each step of a channel: what is left is the same.
constexpr engine ipc_engine{.name = "ipc",
                            .shares = true,
                            .on_device = true,
                            .one_node = true,
                            .facts = nullptr,
                            .ways = one_node_ways,
                            .describe = describe,
                            .groups = shared_groups,
                            .open = open_as<window_channel>};

}  // namespace weft::exchange
