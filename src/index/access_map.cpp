// SPDX-License-Identifier: BSD-3-Clause
#include "index/access_map.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "index/image_map.hpp"

namespace weft::core {

namespace {

/// Pieces of one axis. Progressions of equal step and residue may overlap in part (boxes of uneven
/// tilings do) and are cut into elementary ones; others never meet, because the messages are disjoint.
class axis_cutter {
 public:
  void add(const slice& s) {
    auto& ends = cuts_[family_of(s)];
    ends.push_back(number_of(s));
    ends.push_back(number_of(s) + s.count);
  }

  void close() {
    for (auto& [members, ends] : cuts_) {
      std::sort(ends.begin(), ends.end());
      ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    }
  }

  /// Calls visit(piece number, terms of s before it) for the elementary pieces of `s`.
  template <class Visit>
  void each_piece(const slice& s, Visit visit) {
    const auto members = family_of(s);
    const auto& ends = cuts_[members];
    const integer begin = number_of(s), end = begin + s.count;
    for (auto at = std::lower_bound(ends.begin(), ends.end(), begin); *at < end; ++at) {
      const auto [entry, fresh] = numbers_.try_emplace({members, *at}, static_cast<int>(pieces_.size()));
      if (fresh) pieces_.push_back({members.second + members.first * *at, members.first, *(at + 1) - *at});
      visit(entry->second, *at - begin);
    }
  }

  [[nodiscard]] const std::vector<slice>& pieces() const { return pieces_; }

  /// How many there can be when each_piece() has visited all that was added.
  [[nodiscard]] std::size_t most_pieces() const {
    std::size_t count = 0;
    for (const auto& [members, ends] : cuts_) count += ends.size() - 1;
    return count;
  }

 private:
  using family = std::pair<integer, integer>;  // step and residue
  static family family_of(const slice& s) { return {s.step, s.first % s.step}; }
  static integer number_of(const slice& s) { return s.first / s.step; }

  std::map<family, std::vector<integer>> cuts_;
  std::map<std::pair<family, integer>, int> numbers_;
  std::vector<slice> pieces_;
};

struct placed_piece {
  int number;
  integer start;
};

std::vector<axis_cutter> cutters_of(const std::vector<message_box>& messages, std::size_t axes) {
  std::vector<axis_cutter> cutters(axes);
  for (const auto& m : messages) {
    for (std::size_t l = 0; l < axes; ++l) {
      for (const auto& piece : m.axes[l]) cutters[l].add(piece.positions);
    }
  }
  for (auto& cutter : cutters) cutter.close();
  return cutters;
}

}  // namespace

access_map plain_map(const extents& shape, const extents& byte_strides, integer byte_offset, int buffer) {
  access_map map;
  map.shape = shape;
  for (const integer n : shape) map.pieces.push_back({{0, 1, n}});
  map.placements.push_back({buffer, -1, byte_strides});
  map.cells.push_back({0, byte_offset});
  return map;
}

std::size_t cell_count(const std::vector<message_box>& messages) {
  if (messages.empty()) return 0;
  constexpr std::size_t most = std::size_t{1} << 62;
  std::size_t cells = 1;
  for (const auto& cutter : cutters_of(messages, messages.front().axes.size())) {
    const std::size_t along = std::max<std::size_t>(1, cutter.most_pieces());
    cells = cells > most / along ? most : cells * along;
  }
  return cells;
}

access_map message_map(const extents& shape, const std::vector<message_box>& messages) {
  const std::size_t d = shape.size();
  auto cutters = cutters_of(messages, d);

  // Which pieces each message has on each axis, and where they start along the message's axis.
  std::vector<std::vector<std::vector<placed_piece>>> placed(messages.size(),
                                                             std::vector<std::vector<placed_piece>>(d));
  for (std::size_t m = 0; m < messages.size(); ++m) {
    for (std::size_t l = 0; l < d; ++l) {
      for (const auto& piece : messages[m].axes[l]) {
        cutters[l].each_piece(piece.positions, [&](int number, integer before) {
          placed[m][l].push_back({number, piece.start + before});
        });
      }
    }
  }

  access_map map;
  map.shape = shape;
  std::size_t cells = 1;
  for (const auto& cutter : cutters) {
    map.pieces.push_back(cutter.pieces());
    cells *= map.pieces.back().size();
  }
  map.cells.resize(cells);
  for (std::size_t m = 0; m < messages.size(); ++m) {
    map.placements.push_back(messages[m].where);
    const auto place = static_cast<int>(m);
    const auto fill = [&](auto&& self, std::size_t l, std::size_t flat, integer offset) -> void {
      if (l == d) {
        map.cells[flat] = {place, offset};
        return;
      }
      for (const auto& p : placed[m][l]) {
        self(self, l + 1, flat * map.pieces[l].size() + static_cast<std::size_t>(p.number),
             offset + p.start * messages[m].where.strides[l]);
      }
    };
    fill(fill, 0, 0, messages[m].offset);
  }
  return map;
}

}  // namespace weft::core
