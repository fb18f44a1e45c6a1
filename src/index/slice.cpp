// SPDX-License-Identifier: BSD-3-Clause
#include "index/slice.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "weft/error.hpp"

namespace weft::core {

namespace {

/// x with a*x = gcd(a, m) (mod m), 0 <= x < m.
integer inverse_modulo(integer a, integer m) {
  integer r0 = a, r1 = m, x0 = 1, x1 = 0;
  while (r1 != 0) {
    const integer q = r0 / r1;
    r0 = std::exchange(r1, r0 - q * r1);
    x0 = std::exchange(x1, x0 - q * x1);
  }
  return ((x0 % m) + m) % m;
}

}  // namespace

slice intersect(const slice& a, const slice& b) {
  if (a.empty() || b.empty()) return {};
  const integer low = std::max(a.first, b.first);
  const integer high = std::min(a.last(), b.last());
  if (low > high) return {};
  if (a.step == 1 && b.step == 1) return {low, 1, high - low + 1};
  const integer common = std::gcd(a.step, b.step);
  if ((b.first - a.first) % common != 0) return {};
  // a.first + a.step * k = b.first (mod b.step) has the solution k = start (mod period).
  const integer period = b.step / common;
  const integer distance = (((b.first - a.first) / common) % period + period) % period;
  const auto start = static_cast<integer>(static_cast<__int128>(distance) *
                                          inverse_modulo((a.step / common) % period, period) % period);
  const __int128 step = static_cast<__int128>(a.step) * period;
  __int128 first = static_cast<__int128>(a.first) + static_cast<__int128>(a.step) * start;
  if (first < low) first += (low - first + step - 1) / step * step;
  if (first > high) return {};
  const auto terms = static_cast<integer>((high - first) / step) + 1;
  // A step past 64 bits can only belong to a single term, for which any step will do.
  const auto stride = terms == 1 ? std::max<integer>(a.step, b.step) : static_cast<integer>(step);
  return {static_cast<integer>(first), stride, terms};
}

}  // namespace weft::core

namespace weft {

integer count(const axis_part& part) {
  integer total = 0;
  for (const auto& s : part) total += s.indices.count;
  return total;
}

integer index_at(const axis_part& part, integer position) {
  for (const auto& s : part) {
    if (s.positions.contains(position)) return s.indices[s.positions.position(position)];
  }
  throw internal_error("position " + std::to_string(position) + " is outside the rank's part of the axis");
}

integer box::volume() const {
  extents sizes;
  for (std::size_t l = 0; l < low.size(); ++l) sizes.push_back(std::max<integer>(0, high[l] - low[l]));
  return weft::volume(sizes);
}

bool box::contains(std::span<const integer> index) const {
  for (std::size_t l = 0; l < low.size(); ++l) {
    if (index[l] < low[l] || index[l] >= high[l]) return false;
  }
  return true;
}

integer volume(const extents& shape) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  integer product = 1;
  for (const integer n : shape) {
    if (__builtin_mul_overflow(product, n, &product)) {
      throw argument_error("shape " + to_text(shape) + " has more than 2^63 elements");
    }
  }
  return product;
}

}  // namespace weft
