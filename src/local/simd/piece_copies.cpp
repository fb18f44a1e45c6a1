// SPDX-License-Identifier: BSD-3-Clause
// For every instruction set, and the choice among them.
#include "local/simd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "local/simd/piece_copies.cpp"
#include <bit>
#include <cstdint>
#include <cstring>

#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "local/simd/piece_copies.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// In the widest vectors that fit, then the rest.
template <std::size_t Bytes>
HWY_INLINE void copy_piece(const std::uint8_t* from, std::uint8_t* to) {
  if constexpr (Bytes > 0) {
    const hn::CappedTag<std::uint8_t, std::bit_floor(Bytes)> d;
    constexpr std::size_t part = HWY_MIN(std::bit_floor(Bytes), HWY_LANES(std::uint8_t));
    hn::StoreU(hn::LoadU(d, from), d, to);
    copy_piece<Bytes - part>(from + part, to + part);
  }
}

/// 0: of any size.
template <std::size_t Bytes>
void copy_all(const piece_copy& what) {
  const auto [first, to_first, bytes, rows, from_row, to_row, count, from_step, to_step, next, next_step] = what;
  const std::byte* fetched = next;
  for (integer r = 0; r < rows; ++r) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(first + r * from_row);
    auto* to = reinterpret_cast<std::uint8_t*>(to_first + r * to_row);
    for (integer k = 0; k < count; ++k, from += from_step, to += to_step) {
      if constexpr (Bytes == 0) {
        std::memcpy(to, from, bytes);
      } else {
        copy_piece<Bytes>(from, to);
      }
      if (next == nullptr) continue;
      __builtin_prefetch(fetched, 0, 2);
      fetched += next_step;
    }
  }
}

void copy_pieces(const piece_copy& what) {
  switch (what.bytes) {
    case 16: return copy_all<16>(what);
    case 24: return copy_all<24>(what);
    case 32: return copy_all<32>(what);
    case 48: return copy_all<48>(what);
    case 64: return copy_all<64>(what);
    default: return copy_all<0>(what);
  }
}

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::local {

HWY_EXPORT(copy_pieces);

void copy_pieces(const piece_copy& what) { HWY_DYNAMIC_DISPATCH(copy_pieces)(what); }

}  // namespace weft::local
#endif
