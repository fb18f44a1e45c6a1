// SPDX-License-Identifier: BSD-3-Clause
#include "local/gathered_lines.hpp"

#include <algorithm>
#include <numeric>

#include "local/simd/component_copies.hpp"

namespace weft::local {

void gathered_lines::suit(const kernel& by) {
  const line_grid group{{nullptr, in.bytes, in.distance()}, {nullptr, out.bytes, out.distance()}, components};
  constexpr integer long_bytes = 1024;
  const bool alone = in.elements * in.bytes >= long_bytes && by.takes(group);
  at_once = alone ? 1 : std::lcm<integer, integer>(lanes, components) / components;
}

std::size_t gathered_lines::bytes_of(const side& s) const {
  return static_cast<std::size_t>(at_once * components * s.distance());
}

std::size_t gathered_lines::bytes() const { return bytes_of(in) + (in_place() ? 0 : bytes_of(out)); }

void gathered_lines::transform(const kernel& by, const line_grid& groups, std::byte* kernel_scratch,
                               std::byte* lines) const {
  std::byte *const loaded = lines, *const stored = in_place() ? lines : lines + bytes_of(in);
  const auto copy_of = [&](const side& s, integer stride) {
    return component_copy{components, s.elements, static_cast<std::size_t>(s.bytes), stride, s.distance()};
  };
  const component_copy loading = copy_of(in, groups.from.stride), storing = copy_of(out, groups.to.stride);
  // What comes next may be all of the memory behind.
  const bool goes_on = groups.ahead && groups.from.stride == components * in.bytes &&
                       groups.from.lane_stride == in.elements * groups.from.stride;
  for_each_place(groups.loops, groups.from.address, groups.to.address, [&](std::byte* from, std::byte* to) {
    for (integer first = 0; first < groups.lanes; first += at_once) {
      const integer count = std::min(at_once, groups.lanes - first);
      for (integer g = 0; g < count; ++g) {
        take_apart(loading, from + (first + g) * groups.from.lane_stride, loaded + g * components * in.distance(),
                   goes_on ? count * groups.from.lane_stride : 0);
      }
      for (integer lane = 0; lane < count * components; lane += lanes) {
        const run a{loaded + lane * in.distance(), 0, 1, in.elements, in.bytes, in.distance()};
        const run b{stored + lane * out.distance(), 0, 1, out.elements, out.bytes, out.distance()};
        const auto width = static_cast<int>(std::min<integer>(lanes, count * components - lane));
        by.transform({{&a, 1}, width}, {{&b, 1}, width}, kernel_scratch);
      }
      for (integer g = 0; g < count; ++g) {
        put_together(storing, stored + g * components * out.distance(), to + (first + g) * groups.to.lane_stride);
      }
    }
  });
}

}  // namespace weft::local
