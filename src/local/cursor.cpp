// SPDX-License-Identifier: BSD-3-Clause
#include "local/cursor.hpp"

#include <algorithm>

#include "base/among.hpp"
#include "index/slice.hpp"

namespace weft::local {

std::vector<lane_group> lane_groups(const std::vector<slice>& source_pieces, const std::vector<slice>& sink_pieces,
                                    int width) {
  std::vector<lane_group> groups;
  for (const auto& a : source_pieces) {
    for (const auto& b : sink_pieces) {
      const slice met = intersect(a, b);
      for (integer k = 0; k < met.count; k += width) {
        groups.push_back({met[k], met.step, std::min<integer>(width, met.count - k)});
      }
    }
  }
  return groups;
}

cursor::cursor(const access_map& map)
    : map_(map),
      plain_(map.cells.size() == 1 && map.cells.front().placement >= 0),
      places_(map.pieces.size()),
      cell_strides_(map.pieces.size()) {
  integer stride = 1;
  for (std::size_t l = map_.pieces.size(); l-- > 0;) {
    cell_strides_[l] = stride;
    stride *= static_cast<integer>(map_.pieces[l].size());
    if (map_.pieces[l].size() < 2) continue;
    places_[l].resize(static_cast<std::size_t>(map_.shape[l]));
    for (std::size_t p = 0; p < map_.pieces[l].size(); ++p) {
      const slice& piece = map_.pieces[l][p];
      for (integer k = 0; k < piece.count; ++k) {
        places_[l][static_cast<std::size_t>(piece[k])] = {static_cast<int>(p), k};
      }
    }
  }
}

cursor::place cursor::place_of(std::size_t axis, integer position) const {
  return places_[axis].empty() ? place{0, position} : places_[axis][static_cast<std::size_t>(position)];
}

bool cursor::is_one_piece() const {
  return plain_ && map_.placements[static_cast<std::size_t>(map_.cells.front().placement)].message < 0;
}

std::size_t cursor::most_runs() const {
  std::size_t most = 1;
  for (const auto& pieces : map_.pieces) most = std::max(most, pieces.size());
  return most;
}

integer cursor::first_cell(const positions& at, const std::vector<int>& across) const {
  integer cell = 0;
  for (std::size_t l = 0; l < map_.pieces.size(); ++l) {
    if (!base::among(static_cast<int>(l), across)) cell += place_of(l, at[l]).piece * cell_strides_[l];
  }
  return cell;
}

std::size_t cursor::first_cells(const std::vector<int>& across) const {
  std::size_t count = map_.cells.size();
  for (const int l : across) count /= map_.pieces[static_cast<std::size_t>(l)].size();
  return count;
}

void cursor::add_messages(integer first_cell, std::span<const int> across, std::vector<int>& messages) const {
  if (across.empty()) {
    const int number = map_.cells[static_cast<std::size_t>(first_cell)].placement;
    const int message = number < 0 ? -1 : map_.placements[static_cast<std::size_t>(number)].message;
    if (message >= 0) messages.push_back(message);
    return;
  }
  const auto l = static_cast<std::size_t>(across.front());
  for (std::size_t p = 0; p < map_.pieces[l].size(); ++p) {
    add_messages(first_cell + static_cast<integer>(p) * cell_strides_[l], across.subspan(1), messages);
  }
}

run cursor::only_run(buffer_list buffers, int line_axis, int lane_axis, const lane_group& lanes, const positions& at,
                     arrivals* waiting) const {
  const cell& of = map_.cells.front();
  const placement& where = map_.placements[static_cast<std::size_t>(of.placement)];
  if (waiting != nullptr && where.message >= 0) waiting->need(where.message);
  const integer* const strides = where.strides.data();
  const std::size_t d = map_.pieces.size();
  integer offset = of.offset;
  for (std::size_t l = 0; l < d; ++l) {
    if (static_cast<int>(l) != line_axis && static_cast<int>(l) != lane_axis) offset += at[l] * strides[l];
  }
  integer lane_stride = 0;
  if (lane_axis >= 0) {
    offset += lanes.first * strides[lane_axis];
    lane_stride = lanes.step * strides[lane_axis];
  }
  const slice& piece = map_.pieces[static_cast<std::size_t>(line_axis)].front();
  return {buffers[static_cast<std::size_t>(where.buffer)] + offset,
          piece.first,
          piece.step,
          piece.count,
          strides[line_axis],
          lane_stride};
}

std::span<const run> cursor::runs_at(buffer_list buffers, int line_axis, int lane_axis, const lane_group& lanes,
                                     const positions& at, arrivals* waiting, run* runs) const {
  if (plain_) {
    runs[0] = only_run(buffers, line_axis, lane_axis, lanes, at, waiting);
    return {runs, 1};
  }
  const std::size_t d = map_.pieces.size();
  const auto line = static_cast<std::size_t>(line_axis);
  integer base_cell = 0;
  positions inner;
  for (std::size_t l = 0; l < d; ++l) {
    if (l == line) {
      inner[l] = 0;
      continue;
    }
    const place here = place_of(l, static_cast<int>(l) == lane_axis ? lanes.first : at[l]);
    base_cell += here.piece * cell_strides_[l];
    inner[l] = here.inner;
  }
  integer lane_step = 1;
  if (lane_axis >= 0 && lanes.step != 1) {  // a division is worth avoiding
    const auto u = static_cast<std::size_t>(lane_axis);
    const place first = place_of(u, lanes.first);
    lane_step = std::max<integer>(1, lanes.step / map_.pieces[u][static_cast<std::size_t>(first.piece)].step);
  }
  for (std::size_t p = 0; p < map_.pieces[line].size(); ++p) {
    const slice& piece = map_.pieces[line][p];
    const cell& of = map_.cells[static_cast<std::size_t>(base_cell + static_cast<integer>(p) * cell_strides_[line])];
    run r{nullptr, piece.first, piece.step, piece.count, 0, 0};
    if (of.placement >= 0) {
      const placement& where = map_.placements[static_cast<std::size_t>(of.placement)];
      if (waiting != nullptr && where.message >= 0) waiting->need(where.message);
      integer offset = of.offset;
      for (std::size_t l = 0; l < d; ++l) offset += inner[l] * where.strides[l];
      r.address = buffers[static_cast<std::size_t>(where.buffer)] + offset;
      r.stride = where.strides[line];
      r.lane_stride = lane_axis >= 0 ? lane_step * where.strides[static_cast<std::size_t>(lane_axis)] : 0;
    }
    runs[p] = r;
  }
  return {runs, map_.pieces[line].size()};
}

}  // namespace weft::local
