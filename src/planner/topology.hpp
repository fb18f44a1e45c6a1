// SPDX-License-Identifier: BSD-3-Clause
// What this node is made of.
#pragma once

#include <sched.h>

#include <string>
#include <vector>

namespace weft::planner {

struct cache_level {
  std::string name;  ///< "L2"
  long long bytes = 0;
  int count = 0;
};

struct topology {
  std::string cpu;           ///< model name
  std::string vector_units;  ///< widest instruction set, e.g. "AVX-512"
  int vector_bits = 0;
  int packages = 0, numa_nodes = 0, cores = 0, hardware_threads = 0;
  long long memory_bytes = 0;
  std::vector<cache_level> caches;
};

[[nodiscard]] topology this_node();
/// Model of the processor.
[[nodiscard]] std::string processor_name();
/// This node's, as the network knows it.
[[nodiscard]] std::string node_name();
/// Cores that have a hardware thread in `mask`.
[[nodiscard]] int cores_in(const cpu_set_t& mask);
/// Of the last level of cache, what each of so many processes on this node may count on, if each has so many threads; 0
/// where that is not known. Looked up once.
[[nodiscard]] long long last_cache_share(int processes, int threads);
/// Whether lines that meet in few sets of the first cache are better stored past the caches even where they were
/// loaded. Measured: in 0.77 to 0.97 of the time on AMD's Zen 5, 1.00 to 1.06 on Intel's Sapphire Rapids.
[[nodiscard]] bool stores_in_place_slowly();
/// Cores that this process may run on.
[[nodiscard]] int allowed_cores();

}  // namespace weft::planner
