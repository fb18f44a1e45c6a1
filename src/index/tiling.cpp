// SPDX-License-Identifier: BSD-3-Clause
#include "index/tiling.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "weft/error.hpp"

namespace weft::core {

namespace {

void append(std::string& text, integer number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  text.append(digits.begin(), end);
}

std::string text_of(const box& b) {
  std::string text;
  core::append(text, b);
  return text;
}

bool overlap(const box& a, const box& b) {
  for (std::size_t l = 0; l < a.low.size(); ++l) {
    if (a.high[l] <= b.low[l] || b.high[l] <= a.low[l]) return false;
  }
  return true;
}

/// Boxes that are not empty, by where they begin along an axis, and how many pairs of them meet along it: those have to
/// be looked at.
struct sweep {
  std::size_t axis = 0;
  std::vector<std::size_t> order;
  std::size_t pairs = 0;
};

sweep sweep_along(std::size_t axis, const std::vector<box>& boxes) {
  sweep found{axis, {}, 0};
  for (std::size_t r = 0; r < boxes.size(); ++r) {
    if (!boxes[r].empty()) found.order.push_back(r);
  }
  const auto low_of = [&](std::size_t r) { return boxes[r].low[axis]; };
  std::ranges::sort(found.order, {}, low_of);
  for (std::size_t i = 0; i < found.order.size(); ++i) {
    const auto end = std::ranges::lower_bound(found.order, boxes[found.order[i]].high[axis], {}, low_of);
    found.pairs += static_cast<std::size_t>(end - found.order.begin()) - i - 1;
  }
  return found;
}

void check_inside(const extents& shape, const std::vector<box>& boxes) {
  for (std::size_t r = 0; r < boxes.size(); ++r) {
    const auto& b = boxes[r];
    bool inside = b.low.size() == shape.size() && b.high.size() == shape.size();
    for (std::size_t l = 0; inside && l < shape.size(); ++l) {
      inside = b.low[l] >= 0 && b.low[l] <= b.high[l] && b.high[l] <= shape[l];
    }
    if (!inside) {
      throw distribution_error("the box " + text_of(b) + " of rank " + std::to_string(r) +
                               " does not lie inside the array " + to_text(shape) +
                               "; give 0 <= low <= high <= extent on every axis");
    }
  }
}

void check_disjoint(const std::vector<box>& boxes, std::size_t axes) {
  // Along some axis fewer of them meet: slabs along theirs, and thousands of bricks along their longest.
  sweep best = sweep_along(0, boxes);
  for (std::size_t l = 1; l < axes && best.pairs > best.order.size(); ++l) {
    if (auto other = sweep_along(l, boxes); other.pairs < best.pairs) best = std::move(other);
  }
  const auto& order = best.order;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const integer end = boxes[order[i]].high[best.axis];
    for (std::size_t j = i + 1; j < order.size() && boxes[order[j]].low[best.axis] < end; ++j) {
      if (!overlap(boxes[order[i]], boxes[order[j]])) continue;
      throw distribution_error("the boxes of ranks " + std::to_string(std::min(order[i], order[j])) + " and " +
                               std::to_string(std::max(order[i], order[j])) + " overlap (" + text_of(boxes[order[i]]) +
                               " and " + text_of(boxes[order[j]]) + "); every element must belong to one rank");
    }
  }
}

}  // namespace

void append(std::string& text, const box& b) {
  for (std::size_t l = 0; l < b.low.size(); ++l) {
    if (l > 0) text += ',';
    append(text, b.low[l]);
    text += ':';
    append(text, b.high[l]);
  }
}

void check_tiling(const extents& shape, const std::vector<box>& boxes) {
  check_inside(shape, boxes);
  check_disjoint(boxes, shape.size());
  // Disjoint boxes inside the array whose volumes add up to it are a tiling.
  integer total = 0;  // no more than the array has
  for (const auto& b : boxes) total += b.volume();
  if (total != volume(shape)) {
    throw distribution_error("the boxes cover " + std::to_string(total) + " of the " + std::to_string(volume(shape)) +
                             " elements of the array " + to_text(shape) + "; they must tile it");
  }
}

}  // namespace weft::core
