// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "base/text.hpp"
#include "weft/error.hpp"
#include "weft/index.hpp"

namespace weft {

namespace {

template <class Number>
std::string times_text(const std::vector<Number>& numbers) {
  std::string text;
  for (const auto n : numbers) text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

}  // namespace

void detail::require_below(const char* what, integer value, integer limit) {
  if (value >= 0 && value < limit) return;
  throw argument_error(std::string(what) + " " + std::to_string(value) +
                       (limit > 0 ? " is not one of 0 to " + std::to_string(limit - 1) : ": there is none"));
}

std::string to_text(const extents& shape) { return times_text(shape); }

extents parse_extents(std::string_view text) {
  extents shape;
  for (const auto piece : base::split_text(text, 'x')) {
    shape.push_back(base::parse_integer(piece, "extent"));
    if (shape.back() < 0) {
      throw argument_error("extent " + std::to_string(shape.back()) + " is negative; use 0 or more");
    }
  }
  if (shape.empty()) throw argument_error("shape '" + std::string(text) + "' names no axis; write e.g. 64x48x40");
  return shape;
}

grid::grid(std::vector<int> shape) : shape_(std::move(shape)) {
  if (axes() > max_grid_axes) {
    throw argument_error("grid " + text() + " has more than " + std::to_string(max_grid_axes) + " axes");
  }
  integer points = 1;
  for (const int n : shape_) {
    if (n < 1) throw argument_error("grid " + text() + " has an axis of " + std::to_string(n) + "; use 1 or more");
    points *= n;
    if (points > std::numeric_limits<int>::max()) throw argument_error("grid " + text() + " has more than 2^31 points");
  }
}

grid grid::parse(std::string_view text) {
  std::vector<int> shape;
  for (const integer n : parse_extents(text)) {
    if (n > std::numeric_limits<int>::max()) {
      throw argument_error("grid axis " + std::to_string(n) + " is larger than any communicator");
    }
    shape.push_back(static_cast<int>(n));
  }
  return grid(std::move(shape));
}

std::string grid::text() const { return times_text(shape_); }

int grid::operator[](int axis) const {
  detail::require_below("grid axis", axis, axes());
  return shape_[static_cast<std::size_t>(axis)];
}

int grid::size() const {
  int points = 1;
  for (const int n : shape_) points *= n;
  return points;
}

std::vector<int> grid::coordinates(int rank) const {
  detail::require_below("rank", rank, size());
  std::vector<int> point(shape_.size());
  for (std::size_t l = shape_.size(); l-- > 0; rank /= shape_[l]) point[l] = rank % shape_[l];
  return point;
}

int grid::rank(const std::vector<int>& coordinates) const {
  if (coordinates.size() != shape_.size()) {
    throw argument_error("a point of the grid " + text() + " has " + std::to_string(shape_.size()) +
                         " coordinates, not " + std::to_string(coordinates.size()));
  }
  int number = 0;
  for (std::size_t l = 0; l < shape_.size(); ++l) {
    detail::require_below("grid coordinate", coordinates[l], shape_[l]);
    number = number * shape_[l] + coordinates[l];
  }
  return number;
}

}  // namespace weft
