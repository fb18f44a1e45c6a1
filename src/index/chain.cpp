// SPDX-License-Identifier: BSD-3-Clause
#include "index/chain.hpp"

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "index/slice.hpp"
#include "weft/error.hpp"

namespace weft::core {

namespace {

/// Terms of start, start + step, ... below `end`.
integer terms_below(integer start, integer step, integer end) {
  return start >= end ? 0 : (end - start + step - 1) / step;
}

void keep(axis_part& part, const slice& indices, integer first_position, integer position_step) {
  if (!indices.empty()) part.push_back({indices, {first_position, position_step, indices.count}});
}

axis_part deal_block(integer extent, int parts, int coordinate) {
  const integer quotient = extent / parts, remainder = extent % parts;
  const integer first = quotient * coordinate + std::min<integer>(remainder, coordinate);
  axis_part part;
  keep(part, {first, 1, quotient + (coordinate < remainder ? 1 : 0)}, 0, 1);
  return part;
}

/// A block larger than the axis is the whole axis; clamping keeps size * parts inside 64 bits.
integer cyclic_block(const split& how, integer extent) {
  return std::clamp<integer>(how.block_size, 1, std::max<integer>(1, extent));
}

/// Blocks of `size` dealt round. The same set is `size` progressions over all blocks, or one run per
/// block; the shorter list is taken, so it has at most about sqrt(extent / parts) members.
axis_part deal_cyclic(integer extent, integer size, int parts, int coordinate) {
  const integer first = size * coordinate, period = size * parts;
  const integer blocks = terms_below(first, period, extent);
  axis_part part;
  if (size <= blocks) {
    for (integer offset = 0; offset < size; ++offset) {
      const integer start = first + offset;
      keep(part, {start, period, terms_below(start, period, extent)}, offset, size);
    }
  } else {
    for (integer b = 0; b < blocks; ++b) {
      const integer start = first + b * period;
      keep(part, {start, 1, std::min(size, extent - start)}, b * size, 1);
    }
  }
  return part;
}

/// Of each 2*parts indices the two numbered `low` < `high`.
axis_part deal_pair(integer extent, int parts, integer low, integer high) {
  const integer period = 2 * static_cast<integer>(parts);
  axis_part part;
  keep(part, {low, period, terms_below(low, period, extent)}, 0, 2);
  keep(part, {high, period, terms_below(high, period, extent)}, 1, 2);
  return part;
}

/// Coordinate s owns the indices s and -s modulo 2*parts (0 owns 0 and `parts`), so that j and n-j
/// lie together whenever 2*parts divides n.
axis_part deal_zigzag(integer extent, int parts, integer coordinate) {
  return deal_pair(extent, parts, coordinate, coordinate == 0 ? parts : integer{2} * parts - coordinate);
}

/// Coordinate s owns the indices 2s and -1-2s modulo 2*parts, so that j and n-1-j lie together whenever 2*parts
/// divides n.
axis_part deal_half_zigzag(integer extent, int parts, integer coordinate) {
  const integer rising = 2 * coordinate, falling = integer{2} * parts - 1 - rising;
  return deal_pair(extent, parts, std::min(rising, falling), std::max(rising, falling));
}

}  // namespace

axis_part deal(const split& how, integer extent, int parts, int coordinate) {
  if (parts == 1) return deal_block(extent, 1, 0);
  // Numbered from the coordinate that comes first, all are dealt alike.
  coordinate -= coordinate < how.first ? how.first - parts : how.first;
  switch (how.how) {
    case split::kind::block: return deal_block(extent, parts, coordinate);
    case split::kind::cyclic: return deal_cyclic(extent, cyclic_block(how, extent), parts, coordinate);
    case split::kind::zigzag: return deal_zigzag(extent, parts, coordinate);
    case split::kind::half_zigzag: return deal_half_zigzag(extent, parts, coordinate);
  }
  throw internal_error("unknown kind of split");
}

namespace {

/// As if coordinate 0 came first.
dealt_place place_from_first(const split& how, integer extent, int parts, integer position) {
  switch (how.how) {
    case split::kind::block: {
      // The first `remainder` parts have one more.
      const integer quotient = extent / parts, remainder = extent % parts, longer = remainder * (quotient + 1);
      if (position < longer) {
        return {static_cast<int>(position / (quotient + 1)), position % (quotient + 1)};
      }
      return {static_cast<int>(remainder + (position - longer) / quotient), (position - longer) % quotient};
    }
    case split::kind::cyclic: {
      const integer size = cyclic_block(how, extent), block = position / size;
      return {static_cast<int>(block % parts), block / parts * size + position % size};
    }
    case split::kind::zigzag: {
      const integer period = 2 * static_cast<integer>(parts), rest = position % period;
      const bool falling = rest >= parts;
      const integer coordinate = rest % parts == 0 ? 0 : falling ? period - rest : rest;
      return {static_cast<int>(coordinate), position / period * 2 + (falling ? 1 : 0)};
    }
    case split::kind::half_zigzag: {
      const integer period = 2 * static_cast<integer>(parts), rest = position % period;
      const integer rising = rest % 2 == 0 ? rest : period - 1 - rest;
      return {static_cast<int>(rising / 2), position / period * 2 + (rest >= parts ? 1 : 0)};
    }
  }
  throw internal_error("unknown kind of split");
}

}  // namespace

dealt_place place_of(const split& how, integer extent, int parts, integer position) {
  if (parts == 1) return {0, position};
  dealt_place place = place_from_first(how, extent, parts, position);
  const int to_last = parts - how.first;  // grids may have as many points as there are numbers
  place.coordinate += place.coordinate < to_last ? how.first : -to_last;
  return place;
}

axis_part part_of(integer extent, const chain& splits, const grid& on, const std::vector<int>& coordinates) {
  axis_part part = deal_block(extent, 1, 0);
  for (const auto& how : splits) {
    const axis_part dealt =
        deal(how, count(part), on[how.grid_axis], coordinates[static_cast<std::size_t>(how.grid_axis)]);
    axis_part inner;
    for (const auto& outer : part) {
      for (const auto& piece : dealt) {
        const slice met = intersect(outer.positions, piece.indices);
        if (met.empty()) continue;
        const auto places = [&](const slice& in) -> slice {
          return {in.position(met.first), std::max<integer>(1, met.step / in.step), met.count};
        };
        inner.push_back({outer.indices.at(places(outer.positions)), piece.positions.at(places(piece.indices))});
      }
    }
    std::sort(inner.begin(), inner.end(),
              [](const segment& a, const segment& b) { return a.indices.first < b.indices.first; });
    part = std::move(inner);
  }
  return part;
}

bool can_name(const grid& on, const std::vector<chain>& chains) {
  return std::ranges::all_of(chains, [&](const chain& splits) {
    return std::ranges::all_of(splits,
                               [&](const split& s) { return s.grid_axis < on.axes() && s.first < on[s.grid_axis]; });
  });
}

std::vector<int> first_point(const std::vector<chain>& chains, const grid& on) {
  std::vector<int> point(static_cast<std::size_t>(on.axes()), 0);
  for (const auto& splits : chains) {
    for (const auto& s : splits) point[static_cast<std::size_t>(s.grid_axis)] = s.first;
  }
  return point;
}

chain parse_chain(std::string_view text) {
  const auto fail = [&](const std::string& why) -> chain {
    throw distribution_error("distribution term '" + std::string(text) + "': " + why +
                             "; write * or splits such as b0, c1, z0, h0, c0/4, c0/4+1, b0c1, b01");
  };
  // The digits behind `at`, which is moved to the last of them.
  const auto number_behind = [&](std::size_t& at, std::string_view what) {
    const std::size_t begin = at + 1;
    while (at + 1 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '9') ++at;
    return base::parse_integer(text.substr(begin, at + 1 - begin), what);
  };
  if (text == "*") return {};
  chain splits;
  char letter = 0;
  bool sized = false, turned = false;  // whether the last split has a block size, a first coordinate
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == 'b' || c == 'c' || c == 'z' || c == 'h') {
      letter = c;
      if (at + 1 == text.size() || text[at + 1] < '0' || text[at + 1] > '9') {
        return fail(std::string("'") + c + "' needs the digit of a grid axis");
      }
    } else if (c >= '0' && c <= '9') {
      if (letter == 0) return fail("a grid axis needs a letter before it");
      splits.push_back({static_cast<split::kind>(letter), c - '0', 1});
      sized = turned = false;
    } else if (c == '/') {
      if (splits.empty() || splits.back().how != split::kind::cyclic) return fail("'/' belongs to a cyclic split");
      if (sized || turned) return fail("'/' belongs right behind the grid axis");
      splits.back().block_size = number_behind(at, "block size");
      if (splits.back().block_size < 1) return fail("the block size must be 1 or more");
      sized = true;
      letter = 0;
    } else if (c == '+') {
      if (splits.empty() || turned) return fail("'+' belongs behind a split, once");
      const integer first = number_behind(at, "first coordinate");
      if (first > std::numeric_limits<int>::max()) return fail("no grid has a coordinate " + std::to_string(first));
      splits.back().first = static_cast<int>(first);
      turned = true;
      letter = 0;
    } else {
      return fail(std::string("'") + c + "' is no kind of split");
    }
  }
  if (splits.empty()) return fail("it is empty");
  return splits;
}

}  // namespace weft::core

namespace weft {

std::string to_text(const chain& splits) {
  if (splits.empty()) return "*";
  std::string text;
  for (const auto& s : splits) {
    text += static_cast<char>(s.how) + std::to_string(s.grid_axis);
    if (s.block_size != 1) text += "/" + std::to_string(s.block_size);
    if (s.first != 0) text += "+" + std::to_string(s.first);
  }
  return text;
}

}  // namespace weft
