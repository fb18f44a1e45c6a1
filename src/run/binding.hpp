// SPDX-License-Identifier: BSD-3-Clause
// What binding a schedule to one rank needs besides the schedule: values that are known without asking other ranks.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "exchange/engine.hpp"
#include "local/engine.hpp"
#include "schedule/buffers.hpp"
#include "schedule/schedule.hpp"
#include "weft/layout.hpp"

namespace weft::device {
class device;
}

namespace weft::run {

struct binding {
  int rank = 0, ranks = 1;
  precision element = precision::f64;
  std::size_t element_bytes = 0;  ///< nonzero: move elements of this size, transform nothing
  bool narrow_messages = false;   ///< those of transforms travel with half their bytes, see local/narrow.hpp
  layout input_layout, output_layout;
  double scale = 1;
  /// Done to every mode of the array of whole axes, the batch included: behind all else forward, before it backward.
  /// Empty: nothing is.
  local::pointwise on_modes;
  bool in_place = false;
  bool destroy_input = false;
  const local::engine* local = nullptr;
  const device::device* on = nullptr;  ///< in whose memory arrays are; null: the host's
  /// One for each exchange of the schedule, in its order: backward, that of the forward schedule reversed.
  std::vector<const exchange::engine*> exchanges;
  std::shared_ptr<const exchange::node_map> nodes;  ///< needed by engines that share memory
  integer count_limit = 0;
  integer cells_per_box = usual_cells_per_box;  ///< as exchanges have it
  int parts = 0;               ///< most that a message is cut into, where an engine cuts; 0: its own choice
  bool shared_arrays = false;  ///< input and output lie in shared memory, compact
  /// Bytes of workspace per rank, 0: none. Binding aims at one local array; a pass more, which may save memory,
  /// is made only to keep to a limit.
  integer memory_limit = 0;
  double patience = 600;  ///< seconds to wait for peers in an exchange through shared memory; 0: for ever
  int threads = 1;
  integer cached_bytes = local::usual_cached_bytes;  ///< arrays up to here are stored through the caches
  bool streams_in_place = false;                     ///< as passes have it
};

/// Bytes of the work areas, and of scratch.
struct memory_needs {
  std::array<integer, area_count> areas{};
  integer scratch = 0;

  [[nodiscard]] integer area_bytes() const;
  [[nodiscard]] integer total() const { return area_bytes() + scratch; }
  /// Enough for both.
  [[nodiscard]] memory_needs with(const memory_needs& other) const;
};

}  // namespace weft::run
