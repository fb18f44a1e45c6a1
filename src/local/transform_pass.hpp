// SPDX-License-Identifier: BSD-3-Clause
// The pass that transforms one or more axes of a local array, tile by tile.
//
// A tile is everything that the transformed axes reach from one combination of the other axes'
// positions (times a few lanes, where the contiguous axis is not transformed). The first transform
// loads its bundles through the source map, the last stores through the sink map; what lies between
// stays in a tile in cache.
//
// Where stores should go past the caches but bundles do not start at cache lines, the last transform
// stores into the tile, too, and the tile is then copied to the sink row by row.
//
// Operations on elements go into the kernels where these can fuse them. Pointwise ones, and turning lines each in its
// own way, are done to bundles in a small dense buffer, which the pass loads for the first kernel, or stores for the
// last.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "local/cursor.hpp"
#include "local/gathered_lines.hpp"
#include "local/line_engine.hpp"
#include "local/line_stream.hpp"
#include "local/pass.hpp"
#include "local/tile_grids.hpp"
#include "local/tile_plan.hpp"
#include "local/turned_bundle.hpp"

namespace weft::local {

class transform_pass final : public pass {
 public:
  transform_pass(const pass_problem& problem, const line_engine& local);
  void execute(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting,
               departures* leaving) const override;
  [[nodiscard]] std::size_t scratch_bytes() const override {
    return thread_scratch_ * static_cast<std::size_t>(threads_);
  }

 private:
  struct call;  // what one execute() passes down

  /// Pointwise operations on one side, the elements there, and the global indices along each axis; and what turns lines
  /// each in its own way. With such operations and where elements are narrow, bundles go through a dense buffer,
  /// `staging` bytes behind the first; `tables` bytes behind it are those that turn.
  struct side {
    std::vector<pointwise> operations;
    std::vector<std::unique_ptr<bundle_turner>> turners;
    bool narrow = false;
    std::size_t staging = 0, tables = 0;
    element_type type = element_type::complex;
    integer line_elements = 0;
    std::vector<extents> indices;
    std::vector<slice> present;  // along the line
    [[nodiscard]] bool is_staged() const { return narrow || !operations.empty() || !turners.empty(); }
  };

  [[nodiscard]] element_type type_of(std::size_t bytes) const;
  void plan_operations(const pass_problem& problem);
  void plan_grids(const pass_problem& problem);
  void plan_gathered(const pass_problem& problem);
  void plan_one_tile();
  void plan_copies(const pass_problem& problem);
  void plan_stops(const milestones& telling, const milestones& following);
  void plan_needs();
  /// Tiles begin .. end-1, by all threads.
  void run_range(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting, departures* leaving,
                 integer begin, integer end) const;
  /// Tiles begin .. end-1, by one thread with scratch of its own.
  void run_tiles(buffer_list source, buffer_list sink, std::byte* scratch, arrivals* waiting, departures* leaving,
                 integer begin, integer end) const;
  void run_one_tile(buffer_list source, buffer_list sink, std::byte* scratch) const;
  static void clear_gap(const tile_gap& gap, std::byte* tile);
  void run_tile(call& c, positions& at, const lane_group& tile_lanes) const;
  void run_step(call& c, std::size_t number, positions& at, const lane_group& tile_lanes) const;
  [[nodiscard]] bool may_repeat_lanes(const call& c, std::size_t number) const;
  /// The same as a grid of lines; false if this tile has none.
  bool run_grid(call& c, std::size_t number, const positions& at, const lane_group& tile_lanes) const;
  /// `lane` numbers the first of `lanes` inside the tile.
  void run_bundle(call& c, std::size_t number, const positions& at, const lane_group& lanes, integer lane) const;
  /// Does to `lines`, a bundle of the dense buffer, what is asked for on its side of the pass.
  void operate(const side& on, const run& lines, const tile_step& s, const positions& at,
               const lane_group& lanes) const;
  /// A bundle of which a side is staged, and what comes after it.
  void run_staged(call& c, std::span<const run> next) const;
  void load_staged(const bundle& from, const run& to, const call& c) const;
  void store_staged(const run& from, const bundle& to, const call& c) const;
  /// Transforms the bundle that waits, if one does; `next` is what will be loaded after it.
  void flush(call& c, std::span<const run> next) const;
  /// What copied rows are written by, of each thread. Those of a tile and of the next one may follow each other.
  [[nodiscard]] line_stream* row_streams(std::byte* scratch, int thread) const;
  void flush_rows(std::byte* scratch) const;
  /// The tile as the last transform left it, to the sink.
  void copy_tile(call& c, positions& at, const lane_group& tile_lanes) const;
  void copy_rows(call& c, const positions& at, const lane_group& lanes, integer lane) const;
  [[nodiscard]] run tile_run(const call& c, const tile_step& s, const positions& at, const lane_group& lanes,
                             integer lane) const;
  /// Of such a run all but what is absent, which is nowhere.
  static std::span<const run> without(const absent_positions& absent, const run& whole, run* runs);
  /// Whether stores go past the caches.
  [[nodiscard]] bool streams(buffer_list source, buffer_list sink) const;
  /// Whether tiles are copied to the sink, and kernels do not store there.
  [[nodiscard]] bool copies_tiles(buffer_list source, buffer_list sink) const;
  /// Whether bundles of the sink start at cache lines.
  [[nodiscard]] bool sink_is_aligned(buffer_list sink) const;

  cursor source_, sink_;
  std::optional<tile_plan> plan_;                 // none of an empty array
  std::vector<std::unique_ptr<kernel>> kernels_;  // of the plan's steps
  std::vector<tile_grid> grids_;                  // of the plan's steps
  gathered_lines gathered_;                       // of the one step that has such lines
  bool all_grids_ = false;                        // whatever the tile
  bool pads_rows_ = false;                        // some grids go on to the ends of the tile's rows
  bool reads_row_ends_ = true;                    // of the tile, as bundles do, too
  tile_gap row_ends_;
  std::vector<line_grid> one_tile_;  // the same where there is one tile, and nothing to find
  std::size_t source_buffer_ = 0, sink_buffer_ = 0;
  integer source_offset_ = 0, sink_offset_ = 0;
  tile_grid last_in_tile_;         // of the last, where copy_tile() follows
  bool copies_grid_ = false;       // it does so even where the sink's rows are aligned
  std::vector<tile_copy> copies_;  // what that does, unless it goes row by row
  cursor copied_;                  // where to
  bool streams_in_place_ = false;  // stores go past the caches there, too
  std::vector<tile_gap> gaps_;     // parts of tiles that are copied as zeros, for `cleared_`
  side loading_, storing_;
  std::vector<access_map> cleared_;
  precision precision_;
  std::size_t sink_bytes_ = 0;  // of an element
  std::size_t kernel_scratch_ = 0, tile_bytes_ = 0, source_runs_ = 0, sink_runs_ = 0, staging_ = 0, thread_scratch_ = 0;
  static constexpr std::size_t most_tile_runs = 5;  // of a line with two ranges of absent positions
  std::size_t tile_runs_ = 0;                       // where four lists of these are, behind the others
  std::size_t gathered_bytes_ = 0;
  std::size_t row_streams_ = 0;  // of a thread
  struct stop {
    integer tiles;  // to be done before
    enum class kind : char { tell, reach, need } what;
    integer number;  // position of a milestone, or the number of a part or message
  };
  std::vector<stop> stops_;
  int threads_ = 1;
};

}  // namespace weft::local
