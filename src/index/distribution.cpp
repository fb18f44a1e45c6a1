// SPDX-License-Identifier: BSD-3-Clause
#include "weft/distribution.hpp"

#include <algorithm>
#include <bitset>

#include "base/text.hpp"
#include "index/chain.hpp"
#include "index/tiling.hpp"
#include "weft/error.hpp"

namespace weft {

using namespace core;

namespace {

void check_shape(const extents& shape) {
  if (shape.empty()) throw argument_error("a shape needs at least one axis");
  if (shape.size() > static_cast<std::size_t>(max_axes)) {
    throw argument_error("shape " + to_text(shape) + " has more than " + std::to_string(max_axes) + " axes");
  }
  for (const integer n : shape) {
    if (n < 0) throw argument_error("shape " + to_text(shape) + " has a negative extent; use 0 or more");
  }
  (void)volume(shape);
}

/// Text is made for complaints only: planning makes thousands of distributions.
std::string text_of(const std::vector<chain>& chains) {
  std::string text = "[";
  for (std::size_t l = 0; l < chains.size(); ++l) text += (l ? " " : "") + to_text(chains[l]);
  return text + "]";
}

void check_terms(const extents& shape, const std::vector<chain>& chains) {
  if (chains.size() != shape.size()) {
    throw distribution_error("distribution " + text_of(chains) + " has " + std::to_string(chains.size()) +
                             " terms for the array " + to_text(shape) + " of " + std::to_string(shape.size()) +
                             " axes; write one term per axis");
  }
}

void check_chains(const extents& shape, const grid& on, const std::vector<chain>& chains) {
  check_terms(shape, chains);
  std::vector<bool> used(static_cast<std::size_t>(on.axes()), false);
  const int named = std::min(on.axes(), max_named_grid_axes);
  for (const auto& splits : chains) {
    for (const auto& s : splits) {
      if (s.grid_axis < 0 || s.grid_axis >= named) {
        throw distribution_error("distribution " + text_of(chains) + " names grid axis " + std::to_string(s.grid_axis) +
                                 ", but of the grid " + on.text() + " it can name the axes 0 to " +
                                 std::to_string(named - 1) + "; give a grid with more axes or use a smaller number");
      }
      if (s.block_size < 1)
        throw distribution_error("distribution " + text_of(chains) + ": a block size must be 1 or more");
      // What cannot be written cannot be agreed on by the ranks, which compare and parse texts.
      if (s.block_size != 1 && s.how != split::kind::cyclic) {
        throw distribution_error("distribution " + text_of(chains) + ": only a cyclic split has a block size; use 1");
      }
      if (s.first < 0 || s.first >= on[s.grid_axis]) {
        throw distribution_error("distribution " + text_of(chains) + " begins on coordinate " +
                                 std::to_string(s.first) + " of grid axis " + std::to_string(s.grid_axis) +
                                 ", but the grid " + on.text() + " has the coordinates 0 to " +
                                 std::to_string(on[s.grid_axis] - 1) + " there; use one of these");
      }
      if (used[static_cast<std::size_t>(s.grid_axis)]) {
        throw distribution_error("distribution " + text_of(chains) + " uses grid axis " + std::to_string(s.grid_axis) +
                                 " twice; use each grid axis once");
      }
      used[static_cast<std::size_t>(s.grid_axis)] = true;
    }
  }
}

void check_rank(int rank) {
  if (rank < 0) throw argument_error("rank " + std::to_string(rank) + " is negative; use 0 or more");
}

/// Whether a point of the grid owns nothing: it is not 0 on an axis that no chain names.
bool stands_aside(const std::vector<chain>& chains, const std::vector<int>& point) {
  std::bitset<max_grid_axes> named;
  for (const auto& splits : chains) {
    for (const auto& s : splits) named.set(static_cast<std::size_t>(s.grid_axis));
  }
  for (std::size_t g = 0; g < point.size(); ++g) {
    if (!named[g] && point[g] != 0) return true;
  }
  return false;
}

std::vector<box> parse_boxes(std::string_view text, std::size_t axes) {
  std::vector<box> boxes;
  for (const auto part : base::split_text(text, ';')) {
    box b;
    for (const auto range : base::split_text(part, ',')) {
      const auto ends = base::split_text(range, ':');
      if (ends.size() != 2) {
        throw distribution_error("box '" + std::string(part) + "': write low:high for every axis");
      }
      b.low.push_back(base::parse_integer(ends[0], "lower end of a box"));
      b.high.push_back(base::parse_integer(ends[1], "upper end of a box"));
    }
    if (b.low.size() != axes) {
      throw distribution_error("box '" + std::string(part) + "' has " + std::to_string(b.low.size()) +
                               " axes, the array has " + std::to_string(axes));
    }
    boxes.push_back(std::move(b));
  }
  return boxes;
}

struct read_text {
  std::vector<chain> chains;
  std::string_view where;  // "@2x3" or nothing
};

read_text read_chains(std::string_view all) {
  const auto close = all.find(']');
  if (!all.starts_with("[") || close == std::string_view::npos) {
    throw distribution_error("distribution '" + std::string(all) +
                             "' is not of the form [b0 * c1], [b0 * c1]@2x3 or bricks{0:4,0:5; ...}");
  }
  read_text read;
  for (const auto term : base::split_text(all.substr(1, close - 1), ' ')) {
    if (!term.empty()) read.chains.push_back(parse_chain(term));
  }
  read.where = base::trim(all.substr(close + 1));
  if (!read.where.empty() && read.where.front() != '@') {
    throw distribution_error("distribution '" + std::string(all) + "': after ']' only @grid may follow");
  }
  return read;
}

}  // namespace

std::vector<chain> core::parse_chains(std::string_view text, const extents& shape) {
  auto chains = read_chains(base::trim(text)).chains;
  check_terms(shape, chains);
  return chains;
}

int core::first_rank(const distribution& d) { return d.is_bricks() ? 0 : d.on().rank(first_point(d.chains(), d.on())); }

distribution::distribution(extents shape, weft::grid on, std::vector<chain> chains)
    : shape_(std::move(shape)), grid_(std::move(on)), chains_(std::move(chains)) {
  check_shape(shape_);
  check_chains(shape_, grid_, chains_);
}

distribution distribution::bricks(extents shape, std::vector<box> boxes) {
  check_shape(shape);
  if (boxes.empty()) throw distribution_error("a brick distribution needs one box per rank");
  check_tiling(shape, boxes);
  distribution d;
  d.shape_ = std::move(shape);
  d.boxes_ = std::make_shared<const std::vector<box>>(std::move(boxes));
  return d;
}

distribution distribution::bricks(extents shape, const weft::grid& on) {
  check_shape(shape);
  if (on.axes() != static_cast<int>(shape.size())) {
    throw distribution_error("the grid " + on.text() + " of bricks needs one axis for each of the array " +
                             to_text(shape));
  }
  std::vector<box> boxes;
  for (int r = 0; r < on.size(); ++r) {
    const auto point = on.coordinates(r);
    box b;
    for (std::size_t l = 0; l < shape.size(); ++l) {
      const axis_part part = deal({split::kind::block, 0, 1}, shape[l], on.shape()[l], point[l]);
      b.low.push_back(part.empty() ? 0 : part.front().indices.first);
      b.high.push_back(b.low.back() + count(part));
    }
    boxes.push_back(std::move(b));
  }
  return bricks(std::move(shape), std::move(boxes));
}

distribution distribution::parse(std::string_view text, extents shape, const weft::grid& on) {
  const std::string_view all = base::trim(text);
  if (all.starts_with("bricks{") && all.ends_with("}")) {
    const std::size_t axes = shape.size();
    return bricks(std::move(shape), parse_boxes(all.substr(7, all.size() - 8), axes));
  }
  auto [chains, where] = read_chains(all);
  return {std::move(shape), where.empty() ? on : weft::grid::parse(where.substr(1)), std::move(chains)};
}

const std::vector<box>& distribution::boxes() const {
  static const std::vector<box> none;
  return is_bricks() ? *boxes_ : none;
}

int distribution::ranks() const { return is_bricks() ? static_cast<int>(boxes_->size()) : grid_.size(); }

bool distribution::is_local(int axis) const {
  detail::require_below("axis", axis, axes());
  const auto l = static_cast<std::size_t>(axis);
  if (is_bricks()) {
    return std::ranges::all_of(*boxes_,
                               [&](const box& b) { return b.empty() || (b.low[l] == 0 && b.high[l] == shape_[l]); });
  }
  if (volume(shape_) == 0) return true;
  // If the owner of index 0 owns all, nobody else owns anything. True also of an axis of one element over many ranks,
  // as same_ownership would have it.
  return count(part_of(shape_[l], chains_[l], grid_, first_point(chains_, grid_))) == shape_[l];
}

axis_part distribution::part(int rank, int axis) const {
  detail::require_below("axis", axis, axes());
  check_rank(rank);
  const auto l = static_cast<std::size_t>(axis);
  if (rank >= ranks()) return {};
  if (is_bricks()) {
    const auto& b = (*boxes_)[static_cast<std::size_t>(rank)];
    const integer n = b.high[l] - b.low[l];
    if (n == 0) return {};
    return {{{b.low[l], 1, n}, {0, 1, n}}};
  }
  const auto point = grid_.coordinates(rank);
  return stands_aside(chains_, point) ? axis_part{} : part_of(shape_[l], chains_[l], grid_, point);
}

extents distribution::local_shape(int rank) const {
  check_rank(rank);
  extents local(shape_.size(), 0);
  if (rank >= ranks()) return local;
  if (is_bricks()) {
    const auto& b = (*boxes_)[static_cast<std::size_t>(rank)];
    for (std::size_t l = 0; l < local.size(); ++l) local[l] = b.high[l] - b.low[l];
    return local;
  }
  const auto point = grid_.coordinates(rank);
  if (stands_aside(chains_, point)) return local;
  for (std::size_t l = 0; l < local.size(); ++l) local[l] = count(part_of(shape_[l], chains_[l], grid_, point));
  return local;
}

integer distribution::local_size(int rank) const { return volume(local_shape(rank)); }

int distribution::owner(std::span<const integer> index) const {
  if (index.size() != shape_.size()) {
    throw argument_error("an index of the array " + to_text(shape_) + " has " + std::to_string(shape_.size()) +
                         " entries, not " + std::to_string(index.size()));
  }
  for (std::size_t l = 0; l < shape_.size(); ++l) detail::require_below("index", index[l], shape_[l]);
  if (is_bricks()) {
    for (std::size_t r = 0; r < boxes_->size(); ++r) {
      if ((*boxes_)[r].contains(index)) return static_cast<int>(r);
    }
    throw internal_error("boxes that do not tile the array");
  }
  std::vector<int> point(static_cast<std::size_t>(grid_.axes()), 0);
  for (std::size_t l = 0; l < shape_.size(); ++l) {
    integer position = index[l], extent = shape_[l];
    for (const auto& s : chains_[l]) {
      const int parts = grid_[s.grid_axis];
      const auto place = place_of(s, extent, parts, position);
      point[static_cast<std::size_t>(s.grid_axis)] = place.coordinate;
      extent = count(deal(s, extent, parts, place.coordinate));
      position = place.position;
    }
  }
  return grid_.rank(point);
}

int distribution::owner(std::initializer_list<integer> index) const {
  return owner(std::span<const integer>(index.begin(), index.size()));
}

namespace {

/// Where an end of a box along an axis of `from` elements lies if the axis has `to`, to the nearest. It does not depend
/// on the box, so that boxes that tile still do, and shares stay what they were.
integer scaled(integer end, integer from, integer to) {
  if (from == 0) return end == 0 ? 0 : to;
  return static_cast<integer>((static_cast<__int128>(end) * to * 2 + from) / (2 * static_cast<__int128>(from)));
}

}  // namespace

distribution distribution::with_shape(const extents& shape) const {
  if (shape == shape_) return *this;
  if (!is_bricks()) return {shape, grid_, chains_};
  if (shape.size() != shape_.size()) {
    throw argument_error("boxes of the array " + to_text(shape_) + " cannot have the shape " + to_text(shape) +
                         "; give one with as many axes");
  }
  std::vector<box> boxes = *boxes_;
  for (auto& b : boxes) {
    for (std::size_t l = 0; l < shape.size(); ++l) {
      if (shape[l] == shape_[l]) continue;
      b.low[l] = scaled(b.low[l], shape_[l], shape[l]);
      b.high[l] = scaled(b.high[l], shape_[l], shape[l]);
    }
  }
  return bricks(shape, std::move(boxes));
}

std::string distribution::chains_text() const { return is_bricks() ? text() : text_of(chains_); }

std::string distribution::text() const {
  if (!is_bricks()) return chains_text() + "@" + grid_.text();
  std::string text = "bricks{";
  for (const box& b : *boxes_) {
    if (&b != &boxes_->front()) text += "; ";
    append(text, b);
  }
  text += '}';
  return text;
}

// A friend does not take its visibility from the namespace of its class.
[[gnu::visibility("default")]] bool operator==(const distribution& a, const distribution& b) {
  if (a.shape_ != b.shape_ || a.grid_ != b.grid_ || a.chains_ != b.chains_) return false;
  if (a.boxes_ == b.boxes_) return true;
  return a.is_bricks() && b.is_bricks() && *a.boxes_ == *b.boxes_;
}

bool same_ownership(const distribution& a, const distribution& b, int ranks) {
  if (a.shape() != b.shape()) return false;
  if (a == b) return true;
  const auto same_parts = [&](int rank) {
    for (int l = 0; l < a.axes(); ++l) {
      if (a.part(rank, l) != b.part(rank, l)) return false;
    }
    return true;
  };
  const auto has_any = [](const distribution& d, int rank) {
    for (int l = 0; l < d.axes(); ++l) {
      if (d.part(rank, l).empty()) return false;
    }
    return true;
  };
  for (int r = 0; r < ranks; ++r) {
    if (!same_parts(r) && (has_any(a, r) || has_any(b, r))) return false;
  }
  return true;
}

}  // namespace weft
