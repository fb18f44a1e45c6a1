#include "cores.hpp"

#include <hwloc.h>
#include <hwloc/glibc-sched.h>
#include <sched.h>

#include <algorithm>

namespace weft::tool {

namespace {

int cores_in(hwloc_topology_t topology, const cpu_set_t& mask) {
  const hwloc_bitmap_t threads = hwloc_bitmap_alloc();
  hwloc_cpuset_from_glibc_sched_affinity(topology, threads, &mask, sizeof mask);
  int count = 0;
  for (hwloc_obj_t core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, nullptr); core != nullptr;
       core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) {
    if (hwloc_bitmap_intersects(core->cpuset, threads) != 0) ++count;
  }
  hwloc_bitmap_free(threads);
  return std::max(1, count);
}

}  // namespace

cores usable_cores(const ranks& all) {
  cpu_set_t mine, united;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  const node_ranks node(all);
  MPI_Allreduce(&mine, &united, sizeof mine, MPI_BYTE, MPI_BOR, node.communicator());
  cores found;
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return found;
  if (hwloc_topology_load(topology) == 0) found = {cores_in(topology, mine), cores_in(topology, united)};
  hwloc_topology_destroy(topology);
  return found;
}

}  // namespace weft::tool
