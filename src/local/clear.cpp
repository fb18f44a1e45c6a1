// SPDX-License-Identifier: BSD-3-Clause
#include "local/clear.hpp"

#include <array>
#include <cstring>

namespace weft::local {

namespace {

class clearing {
 public:
  clearing(const access_map& map, buffer_list buffers, std::size_t element_bytes)
      : map_(map), buffers_(buffers), element_bytes_(element_bytes) {}

  /// Those of cell `cell` of the axes before `axis`, whose pieces are chosen.
  void each_cell(std::size_t axis = 0, std::size_t cell = 0) {
    if (axis == map_.shape.size()) {
      const int number = map_.cells[cell].placement;
      if (number < 0) return;
      const placement& where = map_.placements[static_cast<std::size_t>(number)];
      each_element(where, 0, buffers_[static_cast<std::size_t>(where.buffer)] + map_.cells[cell].offset);
      return;
    }
    for (std::size_t p = 0; p < map_.pieces[axis].size(); ++p) {
      counts_[axis] = map_.pieces[axis][p].count;
      each_cell(axis + 1, cell * map_.pieces[axis].size() + p);
    }
  }

 private:
  void each_element(const placement& where, std::size_t axis, std::byte* at) {
    if (axis == map_.shape.size()) {
      std::memset(at, 0, element_bytes_);
      return;
    }
    for (integer k = 0; k < counts_[axis]; ++k) each_element(where, axis + 1, at + k * where.strides[axis]);
  }

  const access_map& map_;
  buffer_list buffers_;
  std::size_t element_bytes_;
  std::array<integer, max_axes> counts_{};
};

}  // namespace

void clear(const access_map& map, buffer_list buffers, std::size_t element_bytes) {
  clearing(map, buffers, element_bytes).each_cell();
}

}  // namespace weft::local
