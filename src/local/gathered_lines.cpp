// SPDX-License-Identifier: BSD-3-Clause
#include "local/gathered_lines.hpp"

#include <algorithm>
#include <numeric>

#include "local/simd/piece_copies.hpp"

namespace weft::local {

namespace {

/// A piece for each element of each group.
piece_copy copy_of(const line_grid::side& from, const line_grid::side& to, integer groups, integer elements,
                   integer bytes) {
  return {from.address, to.address, static_cast<std::size_t>(bytes), groups, from.lane_stride, to.lane_stride, elements,
          from.stride,  to.stride};
}

}  // namespace

integer gathered_lines::at_once() const { return std::lcm<integer, integer>(lanes, components) / components; }

std::size_t gathered_lines::bytes_of(const side& s) const {
  return static_cast<std::size_t>((s.elements * at_once() * components * s.bytes + 63) / 64 * 64);
}

std::size_t gathered_lines::bytes() const { return bytes_of(in) + (in_place() ? 0 : bytes_of(out)); }

void gathered_lines::transform(const kernel& by, const line_grid& groups, std::byte* kernel_scratch,
                               std::byte* rows) const {
  const integer most = at_once();
  const auto dense = [&](const side& s, std::byte* at) {
    return line_grid::side{at, most * components * s.bytes, components * s.bytes};
  };
  const auto loaded = dense(in, rows), stored = dense(out, in_place() ? rows : rows + bytes_of(in));
  // What comes next may be all of the memory behind. Kernels fetch the first half of it, as if it were rows already.
  const bool goes_on = groups.ahead && groups.from.stride == components * in.bytes &&
                       groups.from.lane_stride == in.elements * groups.from.stride;
  for_each_place(groups.loops, groups.from.address, groups.to.address, [&](std::byte* from, std::byte* to) {
    for (integer first = 0; first < groups.lanes; first += most) {
      const integer count = std::min(most, groups.lanes - first);
      std::byte* const here = from + first * groups.from.lane_stride;
      std::byte* const next = here + count * groups.from.lane_stride;
      copy_pieces(copy_of({here, groups.from.stride, groups.from.lane_stride}, loaded, count, in.elements,
                          components * in.bytes));
      for (integer lane = 0; lane < count * components; lane += lanes) {
        const run a{loaded.address + lane * in.bytes, 0, 1, in.elements, loaded.stride, in.bytes};
        const run b{stored.address + lane * out.bytes, 0, 1, out.elements, stored.stride, out.bytes};
        const run ahead{next + lane * in.bytes, 0, 1, in.elements, loaded.stride, in.bytes};
        const auto width = static_cast<int>(std::min<integer>(lanes, count * components - lane));
        by.transform({{&a, 1}, width, {&ahead, goes_on ? 1U : 0U}}, {{&b, 1}, width}, kernel_scratch);
      }
      auto leaving = copy_of(stored, {to + first * groups.to.lane_stride, groups.to.stride, groups.to.lane_stride},
                             count, out.elements, components * out.bytes);
      if (goes_on) {
        const integer half = most * groups.from.lane_stride / 2;
        leaving.next = next + half;
        leaving.next_step = half / (count * out.elements);
      }
      copy_pieces(leaving);
    }
  });
}

}  // namespace weft::local
