// SPDX-License-Identifier: BSD-3-Clause
// One row per engine file.
#pragma once

#include "exchange/engine.hpp"

namespace weft::exchange {

/// Packed blocks in one MPI_Alltoallv.
extern const engine alltoallv_engine;
/// Strided datatypes in one MPI_Alltoallw: no packing (Dalcin, Mortensen, Keyes).
extern const engine alltoallw_engine;
/// Blocks padded to the largest in one MPI_Alltoall.
extern const engine alltoall_engine;
/// Non-blocking messages, consumed in the order in which they arrive.
extern const engine p2p_engine;
/// Messages in parts that leave while the producer runs.
extern const engine pipelined_engine;
/// Messages in parts that arrive in a small ring and are consumed there.
extern const engine streamed_engine;
/// The node's ranks load from each other's memory; messages only between nodes.
extern const engine window_engine;
/// The same; what the ranks of one node have for those of another leaves in one message.
extern const engine nodewise_engine;
/// The node's ranks load from each other's memory of a device.
extern const engine ipc_engine;
/// Messages from and to a device's memory by way of the host's, in parts: copies and messages overlap.
extern const engine staged_engine;
/// Messages between devices by NCCL, in the device's own order.
extern const engine nccl_engine;

}  // namespace weft::exchange
