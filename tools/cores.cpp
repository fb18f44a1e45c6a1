// SPDX-License-Identifier: BSD-3-Clause
#include "cores.hpp"

#include <sched.h>

#include "planner/topology.hpp"

namespace weft::tool {

cores usable_cores(const ranks& all) {
  cpu_set_t mine, united;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  const node_ranks node(all);
  MPI_Allreduce(&mine, &united, sizeof mine, MPI_BYTE, MPI_BOR, node.communicator());
  return {planner::cores_in(mine), planner::cores_in(united)};
}

}  // namespace weft::tool
