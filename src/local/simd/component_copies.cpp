// SPDX-License-Identifier: BSD-3-Clause
// For every instruction set, and the choice among them.
#include "local/simd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "local/simd/component_copies.cpp"
#include <array>
#include <cstdint>
#include <cstring>

#include "hwy/foreach_target.h"
#include "local/simd/component_copies.hpp"
#include "local/simd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::local::HWY_NAMESPACE {

enum class direction : bool { apart, together };

/// Vectors of `Components` components, side by side or each by itself, whose elements are `Parts` lanes.
template <class Lane, int Components, int Parts>
struct component_vectors {
  static constexpr int lanes = static_cast<int>(hn::MaxLanes(tag<Lane>()));
  static constexpr int elements = lanes / Parts;
  using vector = hn::Vec<tag<Lane>>;

  struct place {
    int vector, lane;
  };
  /// Where that comes from which `to` is to have in lane `lane`.
  static constexpr place source_of(direction way, int to, int lane) {
    const int element = lane / Parts, part = lane % Parts;
    if (way == direction::apart) {
      const int side_by_side = element * Components + to;
      return {side_by_side / elements, side_by_side % elements * Parts + part};
    }
    const int side_by_side = to * elements + element;
    return {side_by_side % Components, side_by_side / Components * Parts + part};
  }

  /// What `to` takes from `from`: which of its own lanes, and from which there.
  struct share {
    alignas(64) std::array<Lane, static_cast<std::size_t>(lanes)> places{};
    std::array<std::uint8_t, 8> bits{};
    bool any = false;
  };
  template <direction Way>
  static constexpr share share_of(int to, int from) {
    share s;
    for (int l = 0; l < lanes; ++l) {
      const place p = source_of(Way, to, l);
      if (p.vector != from) continue;
      const auto lane = static_cast<std::size_t>(l);
      s.places[lane] = static_cast<Lane>(p.lane);
      s.bits[lane / 8] = static_cast<std::uint8_t>(s.bits[lane / 8] | 1U << lane % 8);
      s.any = true;
    }
    return s;
  }

  template <direction Way>
  static HWY_INLINE void rearrange(const vector (&in)[Components], vector (&out)[Components]) {
    const tag<Lane> d;
    static_for<Components>([&](auto to) WEFT_LAMBDA {
      out[to] = hn::Zero(d);
      static_for<Components>([&](auto from) WEFT_LAMBDA {
        static constexpr share s = share_of<Way>(to, from);
        if constexpr (s.any) {
          const auto found = hn::TableLookupLanes(in[from], hn::SetTableIndices(d, s.places.data()));
          out[to] = hn::IfThenElse(hn::LoadMaskBits(d, s.bits.data()), found, out[to]);
        }
      });
    });
  }
};

/// Element by element.
void copy_elements(const component_copy& what, direction way, const std::byte* from, std::byte* to) {
  for (integer j = 0; j < what.elements; ++j) {
    for (integer c = 0; c < what.components; ++c) {
      const integer together = j * what.stride + c * static_cast<integer>(what.bytes);
      const integer apart = c * what.apart + j * static_cast<integer>(what.bytes);
      if (way == direction::apart) {
        std::memcpy(to + apart, from + together, what.bytes);
      } else {
        std::memcpy(to + together, from + apart, what.bytes);
      }
    }
  }
}

/// The last vectors may have some of what those before them had.
template <class Lane, int Components, int Parts, direction Way>
void copy_vectors(const component_copy& what, const std::byte* from, std::byte* to, integer ahead) {
  using vectors = component_vectors<Lane, Components, Parts>;
  constexpr integer bytes = Parts * static_cast<integer>(sizeof(Lane));
  constexpr integer step = vectors::elements;
  const integer count = what.elements, apart = what.apart;  // which stores might change, for all one knows
  if (count < step) return copy_elements(what, Way, from, to);
  const tag<Lane> d;
  for (integer next = 0; next < count; next += step) {
    const integer j = next + step <= count ? next : count - step;
    const auto side_by_side = [&](int k) { return (j * Components + k * step) * bytes; };
    const auto alone = [&](int c) { return c * apart + j * bytes; };
    typename vectors::vector in[Components], out[Components];
    static_for<Components>([&](auto k) WEFT_LAMBDA {
      const std::byte* const at = from + (Way == direction::apart ? side_by_side(k) : alone(k));
      in[k] = hn::LoadU(d, reinterpret_cast<const Lane*>(at));
      if (Way == direction::apart && ahead != 0) __builtin_prefetch(at + ahead, 0, 2);
    });
    vectors::template rearrange<Way>(in, out);
    static_for<Components>([&](auto k) WEFT_LAMBDA {
      std::byte* const at = to + (Way == direction::apart ? alone(k) : side_by_side(k));
      hn::StoreU(out[k], d, reinterpret_cast<Lane*>(at));
    });
  }
}

template <int Components, direction Way>
void copy_components(const component_copy& what, const std::byte* from, std::byte* to, integer ahead) {
  switch (what.bytes) {
    case 4: return copy_vectors<std::uint32_t, Components, 1, Way>(what, from, to, ahead);
    case 8: return copy_vectors<std::uint64_t, Components, 1, Way>(what, from, to, ahead);
    case 16: return copy_vectors<std::uint64_t, Components, 2, Way>(what, from, to, ahead);
    default: return copy_elements(what, Way, from, to);
  }
}

template <direction Way>
void copy(const component_copy& what, const std::byte* from, std::byte* to, integer ahead) {
  if (what.stride != what.components * static_cast<integer>(what.bytes)) return copy_elements(what, Way, from, to);
  switch (what.components) {
    case 2: return copy_components<2, Way>(what, from, to, ahead);
    case 3: return copy_components<3, Way>(what, from, to, ahead);
    case 4: return copy_components<4, Way>(what, from, to, ahead);
    case 5: return copy_components<5, Way>(what, from, to, ahead);
    case 6: return copy_components<6, Way>(what, from, to, ahead);
    case 7: return copy_components<7, Way>(what, from, to, ahead);
    default: return copy_elements(what, Way, from, to);
  }
}

void take_apart(const component_copy& what, const std::byte* from, std::byte* to, integer ahead) {
  copy<direction::apart>(what, from, to, ahead);
}
void put_together(const component_copy& what, const std::byte* from, std::byte* to) {
  copy<direction::together>(what, from, to, 0);
}

}  // namespace weft::local::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::local {

HWY_EXPORT(take_apart);
HWY_EXPORT(put_together);

void take_apart(const component_copy& what, const std::byte* from, std::byte* to, integer ahead) {
  HWY_DYNAMIC_DISPATCH(take_apart)(what, from, to, ahead);
}
void put_together(const component_copy& what, const std::byte* from, std::byte* to) {
  HWY_DYNAMIC_DISPATCH(put_together)(what, from, to);
}

}  // namespace weft::local
#endif
