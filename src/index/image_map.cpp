// SPDX-License-Identifier: BSD-3-Clause
#include "index/image_map.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "index/slice.hpp"

namespace weft::core {

namespace {

std::size_t boxes_in(const std::vector<message_box>& messages) {
  std::size_t boxes = 0;
  for (const auto& m : messages) {
    std::size_t of_one = 1;
    for (const auto& pieces : m.axes) of_one *= pieces.size();
    boxes += of_one;
  }
  return boxes;
}

/// What `m` has at positions begin .. end-1 of an axis; nothing if that is empty.
std::optional<message_box> part_of(const message_box& m, std::size_t axis, integer begin, integer end) {
  std::vector<message_axis_piece> inside;
  for (const auto& piece : m.axes[axis]) {
    const slice met = intersect(piece.positions, {begin, 1, end - begin});
    if (!met.empty()) inside.push_back({met, piece.start + piece.positions.position(met.first)});
  }
  if (inside.empty()) return std::nullopt;
  message_box part = m;
  part.axes[axis] = std::move(inside);
  return part;
}

/// Halves an array until the messages in each block cut it into about as many cells as they have boxes.
class blocks_of_messages {
 public:
  blocks_of_messages(std::vector<block_map>& found, std::size_t cells_per_box)
      : found_(found), cells_per_box_(cells_per_box) {}

  void add(const extents& first, const extents& end, const std::vector<message_box>& messages) {
    if (cell_count(messages) > cells_per_box_ * boxes_in(messages)) {
      if (const auto cut = best_cut(first, end, messages)) {
        extents middle_end = end, middle_first = first;
        middle_end[cut->axis] = middle_first[cut->axis] = cut->at;
        add(first, middle_end, between(messages, cut->axis, first[cut->axis], cut->at));
        add(middle_first, end, between(messages, cut->axis, cut->at, end[cut->axis]));
        return;
      }
    }
    add_block(first, end, messages);
  }

  static std::vector<message_box> between(const std::vector<message_box>& messages, std::size_t axis, integer begin,
                                          integer end) {
    std::vector<message_box> parts;
    for (const auto& m : messages) {
      if (auto part = part_of(m, axis, begin, end)) parts.push_back(*std::move(part));
    }
    return parts;
  }

 private:
  struct face {
    std::size_t axis;
    integer at;
    std::size_t messages;  // on both sides together
  };

  /// Of the middle faces along each axis, the one that goes through the fewest messages; none if each has all of them
  /// on one of its sides.
  static std::optional<face> best_cut(const extents& first, const extents& end,
                                      const std::vector<message_box>& messages) {
    std::optional<face> best;
    for (std::size_t l = 0; l < first.size(); ++l) {
      std::vector<integer> faces, begins, ends;
      for (const auto& m : messages) {
        integer low = end[l], high = first[l];
        for (const auto& piece : m.axes[l]) {
          low = std::min(low, piece.positions.first);
          high = std::max(high, piece.positions.last() + 1);
        }
        begins.push_back(low);
        ends.push_back(high);
        for (const integer end_of : {low, high}) {
          if (end_of > first[l] && end_of < end[l]) faces.push_back(end_of);
        }
      }
      if (faces.empty()) continue;
      const auto middle = faces.begin() + std::ssize(faces) / 2;
      std::nth_element(faces.begin(), middle, faces.end());
      const auto below =
          static_cast<std::size_t>(std::ranges::count_if(begins, [&](integer b) { return b < *middle; }));
      const auto above = static_cast<std::size_t>(std::ranges::count_if(ends, [&](integer e) { return e > *middle; }));
      if (std::max(below, above) == messages.size()) continue;
      if (!best || below + above < best->messages) best = {l, *middle, below + above};
    }
    return best;
  }

  void add_block(const extents& first, const extents& end, std::vector<message_box> messages) {
    extents shape = end;
    for (std::size_t l = 0; l < shape.size(); ++l) shape[l] -= first[l];
    for (auto& m : messages) {
      for (std::size_t l = 0; l < shape.size(); ++l) {
        for (auto& piece : m.axes[l]) piece.positions.first -= first[l];
      }
    }
    found_.push_back({first, message_map(shape, messages)});
  }

  std::vector<block_map>& found_;
  std::size_t cells_per_box_;
};

}  // namespace

bool image_map::has_messages() const {
  const auto awaited = [](const access_map& map) {
    return std::ranges::any_of(map.placements, [](const placement& p) { return p.message >= 0; });
  };
  return awaited(whole) || std::ranges::any_of(blocks, [&](const block_map& b) { return awaited(b.map); });
}

image_map message_image(const extents& shape, const std::vector<message_box>& messages, integer cells_per_box,
                        const axis_stops& stops) {
  const auto per_box = static_cast<std::size_t>(cells_per_box);
  // A map of few cells is walked in no time, whatever the boxes.
  if (cell_count(messages) <= per_box * (per_box + boxes_in(messages))) return message_map(shape, messages);
  image_map result;
  result.whole.shape = shape;
  blocks_of_messages blocks(result.blocks, per_box);
  const auto along = static_cast<std::size_t>(stops.axis);
  extents first(shape.size(), 0), end = shape;
  for (std::size_t k = 0; k <= stops.positions.size(); ++k) {
    end[along] = k < stops.positions.size() ? stops.positions[k] : shape[along];
    if (end[along] == first[along]) continue;
    blocks.add(first, end, blocks_of_messages::between(messages, along, first[along], end[along]));
    first[along] = end[along];
  }
  return result;
}

}  // namespace weft::core
