// SPDX-License-Identifier: BSD-3-Clause
// Turns an access map into the runs of one bundle.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "index/access_map.hpp"
#include "local/kernel.hpp"
#include "local/pass.hpp"

namespace weft::local {

/// Positions along the lane axis that one bundle takes: inside one piece of every map involved.
using lane_group = slice;

/// One position per axis; fixed size, so that no call allocates.
using positions = std::array<integer, max_axes>;

/// Groups of at most `width` positions that lie inside one piece of each map.
[[nodiscard]] std::vector<lane_group> lane_groups(const std::vector<slice>& source_pieces,
                                                  const std::vector<slice>& sink_pieces, int width);

/// Looks up runs of a map for lines along one axis. Immutable; each thread brings its own runs.
class cursor {
 public:
  explicit cursor(const access_map& map);

  /// The runs of the lines along `line_axis` at the fixed `positions` of the other axes, with one
  /// lane for each position of `lanes` along `lane_axis` (-1: a single line). They are written to
  /// `runs`, which has room for most_runs().
  std::span<const run> runs_at(buffer_list buffers, int line_axis, int lane_axis, const lane_group& lanes,
                               const positions& at, arrivals* waiting, run* runs) const;

  [[nodiscard]] std::size_t most_runs() const;

  /// Whether all of it is one piece that is there from the beginning.
  [[nodiscard]] bool is_one_piece() const;

  /// The first of the cells that anything at the positions `at` is in, `across` being axes of which all pieces count.
  [[nodiscard]] integer first_cell(const positions& at, const std::vector<int>& across) const;
  /// How many different ones there are.
  [[nodiscard]] std::size_t first_cells(const std::vector<int>& across) const;
  /// Adds the messages of all these cells.
  void add_messages(integer first_cell, std::span<const int> across, std::vector<int>& messages) const;

 private:
  struct place {
    int piece;
    integer inner;  // number inside the piece
  };
  [[nodiscard]] place place_of(std::size_t axis, integer position) const;
  /// runs_at for a plain array.
  [[nodiscard]] run only_run(buffer_list buffers, int line_axis, int lane_axis, const lane_group& lanes,
                             const positions& at, arrivals* waiting) const;

  access_map map_;
  bool plain_;                              // one cell, and something there
  std::vector<std::vector<place>> places_;  // per axis, position -> place; empty where there is one piece
  std::vector<integer> cell_strides_;
};

}  // namespace weft::local
