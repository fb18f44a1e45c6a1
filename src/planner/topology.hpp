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
/// Cores that this process may run on.
[[nodiscard]] int allowed_cores();

}  // namespace weft::planner
