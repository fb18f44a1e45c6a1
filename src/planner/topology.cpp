// SPDX-License-Identifier: BSD-3-Clause
#include "planner/topology.hpp"

#include <hwloc.h>
#include <hwloc/glibc-sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

#include "base/memory.hpp"

namespace weft::planner {

namespace {

/// The value of `key` in /proc/cpuinfo; empty where there is none.
std::string cpuinfo(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
    return colon + 2 <= line.size() ? line.substr(colon + 2) : std::string();
  }
  return {};
}

void read_vector_width(topology& m) {
  struct level {
    const char* flag;
    const char* name;
    int bits;
  };
  static constexpr level levels[] = {{"avx512f", "AVX-512", 512}, {"avx2", "AVX2", 256}, {"avx", "AVX", 256},
                                     {"sse2", "SSE2", 128},       {"sve", "SVE", 0},     {"asimd", "NEON", 128}};
  std::string flags = cpuinfo("flags");
  if (flags.empty()) flags = cpuinfo("Features");
  for (const level& candidate : levels) {
    std::istringstream words(flags);
    for (std::string word; words >> word;) {
      if (word != candidate.flag) continue;
      m.vector_units = candidate.name;
      m.vector_bits = candidate.bits;
      return;
    }
  }
}

int count_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const int n = hwloc_get_nbobjs_by_type(topology, type);
  return n > 0 ? n : 0;
}

void read_topology(topology& m) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return;
  if (hwloc_topology_load(topology) == 0) {
    m.packages = count_of(topology, HWLOC_OBJ_PACKAGE);
    m.numa_nodes = count_of(topology, HWLOC_OBJ_NUMANODE);
    m.cores = count_of(topology, HWLOC_OBJ_CORE);
    m.hardware_threads = count_of(topology, HWLOC_OBJ_PU);
    constexpr hwloc_obj_type_t levels[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE};
    for (int l = 0; l < 4; ++l) {
      const int n = count_of(topology, levels[l]);
      if (n == 0) continue;
      const hwloc_obj_t first = hwloc_get_obj_by_type(topology, levels[l], 0);
      m.caches.push_back({"L" + std::to_string(l + 1), static_cast<long long>(first->attr->cache.size), n});
    }
  }
  hwloc_topology_destroy(topology);
}

}  // namespace

int cores_in(const cpu_set_t& mask) {
  int count = 0;
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return 1;
  if (hwloc_topology_load(topology) == 0) {
    const hwloc_bitmap_t threads = hwloc_bitmap_alloc();
    hwloc_cpuset_from_glibc_sched_affinity(topology, threads, &mask, sizeof mask);
    for (hwloc_obj_t core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, nullptr); core != nullptr;
         core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) {
      if (hwloc_bitmap_intersects(core->cpuset, threads) != 0) ++count;
    }
    hwloc_bitmap_free(threads);
  }
  hwloc_topology_destroy(topology);
  return std::max(1, count);
}

int allowed_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof mask, &mask);
  return cores_in(mask);
}

long long last_cache_share(int processes, int threads) {
  static const cache_level last = [] {
    topology m;
    read_topology(m);
    return m.caches.empty() ? cache_level{} : m.caches.back();
  }();
  // A thread reaches one of them.
  return std::min(last.bytes * threads, last.bytes * last.count / std::max(1, processes));
}

bool stores_in_place_slowly() {
  static const bool slowly = cpuinfo("vendor_id") == "AuthenticAMD";
  return slowly;
}

std::string processor_name() {
  const std::string name = cpuinfo("model name");
  return name.empty() ? cpuinfo("CPU part") : name;  // ARM
}

std::string node_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

topology this_node() {
  topology m;
  m.cpu = processor_name();
  m.memory_bytes = static_cast<long long>(base::machine_bytes());
  read_vector_width(m);
  read_topology(m);
  return m;
}

}  // namespace weft::planner
