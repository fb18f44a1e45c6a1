// SPDX-License-Identifier: BSD-3-Clause
#include "local/sweep_chain.hpp"

#include <algorithm>

#include "device/kernels/reach.hpp"
#include "device/kernels/straight_sweeps.hpp"

namespace weft::local {

namespace {

integer planes_of(const device::sweep& s) { return s.axes == 0 ? 1 : s.box.lines / s.box.count[s.axes - 1]; }

/// Whether planes of so many bytes, of its own axis and the last other one, follow each other in what it stores to.
bool has_planes_of(const device::sweep& s, integer bytes) {
  for (int l = s.axes - 2; l >= 0; --l) {
    if (s.box.count[l] > 1 && s.sink.block_strides[l] != bytes) return false;
    bytes *= s.box.count[l];
  }
  return true;
}

bool are_straight(const planned_sweep& first, const planned_sweep& second, const device::sweep_order& order) {
  device::chained_sweeps both{first.what, second.what, order};
  both.first.store_reused = both.second.load_reused = 1;
  return device::straight_of(both).first.lines > 0;
}

}  // namespace

/// Two sweeps with the same kernel go from one queue if each one's neighbouring lines are along the other's axis: a
/// chunk of both is then a box of the array.
std::optional<sweep_chain> chain_of(const planned_sweep& first, const planned_sweep& second, int first_axis,
                                    int second_axis, const device::device& on) {
  const auto ends_in = [](const planned_sweep& s, int axis) { return !s.axes.empty() && s.axes.back() == axis; };
  const auto outer = [](const planned_sweep& s) { return std::vector<int>(s.axes.begin(), s.axes.end() - 1); };
  if (first.how.kernel != device::kernel_kind::fixed || second.how.kernel != device::kernel_kind::fixed ||
      first.what.length != second.what.length || first.how.by != second.how.by || !ends_in(first, second_axis) ||
      !ends_in(second, first_axis) || outer(first) != outer(second)) {
    return std::nullopt;
  }
  const integer across = first.what.box.count[first.axes.size() - 1],
                back = second.what.box.count[first.axes.size() - 1];
  const integer planes = first.what.box.lines / across;
  // Chunks are small, so that the second sweep follows soon, and the first one is some of them ahead, so that the
  // second seldom waits; the cache has room for all these. Measured, see docs/gpu.md.
  const integer plane_bytes = across * back * 2 * first.what.element;
  if (planes * plane_bytes <= 2 * on.cached_bytes()) return std::nullopt;
  const integer cached = std::max<integer>(1, on.cached_bytes() / plane_bytes);
  const integer together = std::clamp<integer>(cached / 10, 1, planes);
  const auto groups = [](integer lines, const device::sweep& s) {
    const integer width = device::width_of(s);
    return (lines + width - 1) / width;
  };
  sweep_chain chain{};
  auto& order = chain.order;
  order.chunks = (planes + together - 1) / together;
  const integer least = std::clamp<integer>(5 * on.cached_bytes() / (3 * plane_bytes), 1, 4);
  const integer ahead = std::clamp<integer>(cached / together - 1, least, 8);
  order.ahead = std::min(ahead, order.chunks);
  order.first_lines = together * across;
  order.second_lines = together * back;
  order.first_groups = groups(order.first_lines, first.what);
  order.second_groups = groups(order.second_lines, second.what);
  chain.how = first.how;
  chain.how.shared = std::max(first.how.shared, second.how.shared);
  if (!are_straight(first, second, order) && !device::has_kernels(first.what.length)) return std::nullopt;
  return chain;
}

std::size_t make_ring(sweep_chain& chain, const planned_sweep& first, const planned_sweep& second, std::size_t bytes,
                      const device::device& on) {
  const integer plane = static_cast<integer>(bytes) / planes_of(first.what);
  if (!on.goes_straight(chain.how.by, first.what.element) || !are_straight(first, second, chain.order) ||
      !has_planes_of(first.what, plane)) {
    return 0;
  }
  // Blocks of some chunks more than the first sweep is ahead are at work. Measured, see docs/gpu.md.
  const integer ring = chain.order.ahead + std::clamp<integer>(4 * on.cached_bytes() / (3 * plane), 2, 4);
  if (ring >= chain.order.chunks) return bytes;  // all of it is no more
  chain.order.ring = ring;
  return static_cast<std::size_t>(ring * chain.order.first_lines / first.what.box.count[first.what.axes - 1] * plane);
}

}  // namespace weft::local
