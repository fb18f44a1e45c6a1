// SPDX-License-Identifier: BSD-3-Clause
// What one execute() of a transform pass passes down: memory, and the bundle that waits.
#pragma once

#include "local/transform_pass.hpp"

namespace weft::local {

/// A bundle waits until the next one is known, so that the kernel can fetch that meanwhile.
struct transform_pass::call {
  buffer_list source, sink;
  arrivals* waiting;
  std::byte* kernel_scratch;
  std::byte* tile;
  std::byte* staging;
  run* source_runs[2];
  run* sink_runs[2];
  run* loads_in_tile[2];
  run* stores_in_tile[2];
  bool stream;  // the kernels may stream
  bool copy;    // copy_tile() does

  const kernel* waits = nullptr;  // for the bundle below
  bundle from = {}, to = {};
  bool is_staged = false;  // the bundle is, and then this is where it belongs:
  std::size_t number = 0;
  positions at = {};
  lane_group lanes = {};
  std::size_t turn = 0;  // which of the two lists of each kind is free
  line_stream* out = nullptr;
  std::size_t row = 0;  // of the tile, the next to be copied
};

}  // namespace weft::local
