// SPDX-License-Identifier: BSD-3-Clause
#include "planner/survey.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "base/memory.hpp"
#include "local/engines/weft.hpp"
#include "local/speed.hpp"
#include "mpi/agreement.hpp"
#include "mpi/probe.hpp"
#include "mpi/shared_memory.hpp"
#include "planner/network.hpp"
#include "planner/topology.hpp"
#include "run/bind.hpp"
#include "weft/error.hpp"

namespace weft::planner {

namespace {

constexpr std::size_t small_message = 8, large_message = std::size_t{1} << 20;
constexpr std::size_t cached_copy = std::size_t{1} << 16;
constexpr double block_seconds = 1e-3;
constexpr int blocks = 4;

/// Seconds of one work() while all ranks do the same: the least of some blocks, the slowest rank's.
template <class Work>
double seconds_of(const mpi::communicator& on, const Work& work) {
  using clock = std::chrono::steady_clock;
  const auto seconds = [&](int times) {
    const auto begin = clock::now();
    for (int k = 0; k < times; ++k) work();
    return std::chrono::duration<double>(clock::now() - begin).count();
  };
  (void)seconds(1);  // touches pages
  const int times = static_cast<int>(std::clamp(block_seconds / std::max(seconds(1), 1e-9), 1.0, 1e6));
  double least = 0;
  for (int b = 0; b < blocks; ++b) {
    (void)mpi::largest(on, 0);
    const double mine = seconds(times) / times;
    least = b == 0 ? mine : std::min(least, mine);
  }
  return 1e-12 * static_cast<double>(mpi::largest(on, std::llround(1e12 * least)));
}

/// Each rank's neighbour on its node; itself for an odd one out.
int neighbour(const mpi::communicator& node) {
  const int other = node.rank() ^ 1;
  return other < node.size() ? other : node.rank();
}

/// Both directions count, as in the prices.
level level_of(const mpi::communicator& on, int partner, const level& unknown) {
  const double small = mpi::seconds_with_partner(on, partner, small_message);
  const double large = mpi::seconds_with_partner(on, partner, large_message);
  if (small <= 0) return unknown;
  return {small / 2, std::max(0.0, large - small) / (2 * static_cast<double>(large_message))};
}

double copy_byte_seconds(const mpi::communicator& on, std::size_t bytes, bool streamed) {
  memory from, to;
  mpi::agree(on, [&] {
    from = base::host().allocate(bytes);
    to = base::host().allocate(bytes);
  });
  std::memset(from.data(), 1, bytes);
  const double seconds = seconds_of(on, [&] {
    if (streamed) {
      local::stream_copy(from.data(), to.data(), bytes);
    } else {
      std::memcpy(to.data(), from.data(), bytes);
    }
  });
  return seconds / (2 * static_cast<double>(bytes));
}

/// What loading from a neighbour's memory costs more than from one's own. Both directions are priced, one is measured.
double shared_byte_seconds(const mpi::communicator& on, const mpi::communicator& node, std::size_t bytes) {
  mpi::shared_memory blocks_of_all;
  // One node may have room where another has none.
  mpi::agree(on, [&] { blocks_of_all = mpi::shared_memory(node, static_cast<integer>(bytes)); });
  std::memset(blocks_of_all.mine(), 1, bytes);
  memory to;
  mpi::agree(on, [&] { to = base::host().allocate(bytes); });
  const auto from = [&](const std::byte* source) {
    return seconds_of(on, [&] { local::stream_copy(source, to.data(), bytes); });
  };
  const double own = from(blocks_of_all.mine());
  const double theirs = from(blocks_of_all.peers()[static_cast<std::size_t>(neighbour(node))]);
  return std::max(0.0, theirs - own) / (2 * static_cast<double>(bytes));
}

double line_element_seconds(const mpi::communicator& on, integer length) {
  const local::bundle_in_cache lines({line_kind::c2c_forward, length, precision::f64}, local::weft_engine());
  return seconds_of(on, [&] { lines.transform(); }) / static_cast<double>(length * lines.lanes());
}

/// Bytes of the cache that a rank has to itself, and of an array that no cache holds, or nearly.
struct cache_sizes {
  double of_rank = 0;
  std::size_t beyond = 0;
};
cache_sizes caches_of(const mpi::communicator& on, const mpi::communicator& node) {
  double of_rank = 1 << 20, all = 16e6;
  for (const auto& c : this_node().caches) {
    if (c.name == "L2") of_rank = static_cast<double>(c.bytes);
    all = std::max(all, static_cast<double>(c.bytes) * c.count);
  }
  const auto agreed = [&](double bytes) { return static_cast<double>(mpi::largest(on, std::llround(bytes))); };
  const double beyond = std::min(128e6, agreed(2 * all / node.size()));
  return {agreed(of_rank), (static_cast<std::size_t>(beyond) / 64 + 1) * 64};
}

}  // namespace

machine survey(const mpi::communicator& on) {
  const auto node = mpi::node_of(on, 0);
  const auto caches = caches_of(on, node);
  machine m;
  m.ranks_per_node = static_cast<int>(mpi::largest(on, node.size()));
  m.cache_bytes = caches.of_rank;
  m.node = level_of(on, on.members_of(node)[static_cast<std::size_t>(neighbour(node))], m.node);
  const auto nodes = run::nodes_of(on, node);
  if (!nodes->single()) m.network = survey_network(on, *nodes);
  if (m.ranks_per_node > 1) {
    m.barrier_seconds = mpi::seconds_of_barrier(on, node) / std::ceil(std::log2(m.ranks_per_node));
  }
  m.pass_byte_seconds =
      std::min(copy_byte_seconds(on, caches.beyond, true), copy_byte_seconds(on, caches.beyond, false));
  m.cached_byte_seconds = std::min(m.pass_byte_seconds, copy_byte_seconds(on, cached_copy, false));
  try {
    m.shared_byte_seconds = shared_byte_seconds(on, node, caches.beyond);
  } catch (const buffer_error&) {
    m.shared_byte_seconds = m.node.byte_seconds;  // no shared memory to be had: nothing to gain from it
  }
  for (const integer n : {2,  4,  8,   16,  32,  64,  128, 256,  512,  1024, 2048, 4096, 3,   5,   7,   12,
                          27, 60, 100, 125, 243, 360, 729, 1000, 1500, 17,   31,   61,   127, 251, 509, 1021}) {
    m.line_seconds[n] = line_element_seconds(on, n);
  }
  m.flop_seconds = m.line_seconds[64] / (5 * 6);
  m.name = mpi::broadcast(on, processor_name(), 0);
  return m;
}

}  // namespace weft::planner
