// SPDX-License-Identifier: BSD-3-Clause
// Lines of lengths that are known when kernels are compiled, where both sides are plain arrays: nothing stands in the
// kernel but the way from memory through registers and back. Other code beside that makes it slower, see docs/gpu.md.
#pragma once

#include <type_traits>

#include "device/kernels/fixed_stages.hpp"

namespace weft::device {

/// Divides numbers below 2^31 without a division.
struct quotient {
  unsigned by = 1, factor = 1U << 31, shift = 31;

  static quotient of(unsigned by) {
    quotient q{by, 0, 31};
    while ((std::uint64_t{1} << (q.shift - 31)) < by) ++q.shift;
    q.factor = static_cast<unsigned>(((std::uint64_t{1} << q.shift) + by - 1) / by);
    return q;
  }
  [[nodiscard]] WEFT_DEVICE_CODE unsigned operator()(unsigned n) const {
    return static_cast<unsigned>((static_cast<std::uint64_t>(n) * factor) >> shift);
  }
};

/// One side: line n begins at `first` + (n / inner) outer_step + (n % inner) inner_step, its elements are `stride`
/// apart. All in bytes. There may be several blocks of a line, as many elements each.
struct straight_side {
  std::byte* first[most_blocks];
  int blocks;
  quotient block;
  std::int64_t outer_step, inner_step;
  int stride;
};

/// What is known of a sweep when its kernel is compiled, as a sum. A number, as compilers for devices take no others.
using straight_kind = int;
inline constexpr straight_kind is_row = 1;                           // as in a sweep
inline constexpr straight_kind is_real = 2;                          // two real lines make a complex one
inline constexpr straight_kind loads_reused = 4, stores_reused = 8;  // as in a sweep
inline constexpr straight_kind is_modes = 16;                        // modes of two real lines make a complex one
inline constexpr straight_kind loads_blocks = 32;                    // lines are loaded from several blocks

/// Lines that a group has for each lane.
WEFT_CONSTANT_CODE int lines_of_lane(straight_kind kind) { return (kind & (is_real + is_modes)) != 0 ? 2 : 1; }

struct straight_sweep {
  straight_side source, sink;
  quotient inner;  // lines side by side
  std::int64_t lines;
  straight_kind kind;
  int backward;
  double scale;
  const void* twiddles;
};

/// One, or two from a queue: the latter if there are chunks.
struct straight_sweeps {
  straight_sweep first, second;
  sweep_order order;
};

/// The same sweep, if its sides are such; otherwise with no lines. Neighbouring axes are taken as one where they can
/// be.
inline straight_sweep straight_of(const sweep& s) {
  straight_sweep result{};
  const bool real = s.kind == sweep_kind::real_to_complex, modes = s.kind == sweep_kind::complex_to_real;
  const int complex_bytes = 2 * s.element, source_bytes = real ? s.element : complex_bytes,
            sink_bytes = modes ? s.element : complex_bytes;
  if (s.source.blocks == 0 || s.sink.blocks == 0 || s.source_plain == 0 || s.sink_plain == 0) return result;
  const bool from_blocks = s.source.blocks > 1;
  if (from_blocks && (s.row != 0 || s.kind != sweep_kind::complex_to_complex || s.load_reused != 0)) return result;
  if (s.kind != sweep_kind::complex_to_complex && !((real || modes) && s.row != 0 && s.sink.blocks == 1)) return result;
  const auto *const from = s.source.block_strides, *const to = s.sink.block_strides;
  constexpr std::int64_t most = 0x7fffffff;
  if (s.box.lines > most || from[s.axes] < 0 || from[s.axes] > most || to[s.axes] < 0 || to[s.axes] > most)
    return result;
  if (s.row != 0 && (from[s.axes] != source_bytes || to[s.axes] != sink_bytes)) return result;
  struct axis {
    std::int64_t count, from, to;
  } axes[2] = {{1, 0, 0}, {1, 0, 0}};  // the inner one, the outer one
  int found = 0;
  std::int64_t from_first = 0, to_first = 0;
  for (int l = s.axes - 1; l >= 0; --l) {
    from_first += s.box.first[l] * from[l];
    to_first += s.box.first[l] * to[l];
    const axis next{s.box.count[l], from[l], to[l]};
    if (next.count == 1) continue;
    if (found > 0) {
      axis& last = axes[found - 1];
      if (next.from == last.count * last.from && next.to == last.count * last.to) {
        last.count *= next.count;
        continue;
      }
    }
    if (found == 2) return result;
    axes[found++] = next;
  }
  const auto side = [&](const side_tables& t, std::int64_t first, std::int64_t outer, std::int64_t inner) {
    straight_side r{{},    t.blocks, quotient::of(static_cast<unsigned>(t.block_length)),
                    outer, inner,    static_cast<int>(t.block_strides[s.axes])};
    for (int i = 0; i < t.blocks; ++i) {  // without buffers while it is planned
      std::byte* const buffer = t.buffers[t.block_buffer[i]];
      r.first[i] = buffer == nullptr ? nullptr : buffer + t.block_offset[i] + first;
    }
    return r;
  };
  result.source = side(s.source, from_first, axes[1].from, axes[0].from);
  result.sink = side(s.sink, to_first, axes[1].to, axes[0].to);
  result.inner = quotient::of(static_cast<unsigned>(axes[0].count));
  result.kind = (s.row != 0 ? is_row : 0) + (real ? is_real : 0) + (modes ? is_modes : 0) +
                (s.load_reused != 0 ? loads_reused : 0) + (s.store_reused != 0 ? stores_reused : 0) +
                (from_blocks ? loads_blocks : 0);
  result.backward = s.backward;
  result.scale = s.scale;
  result.twiddles = s.twiddles;
  result.lines = s.box.lines;
  return result;
}

/// Calls visit.template operator()<kind of the first, and of the second if there is one>() for the combinations that
/// have kernels; says whether.
template <class Visit>
bool with_straight_kinds(const straight_sweeps& c, const Visit& visit) {
  constexpr straight_kind across = 0, reals = is_row + is_real;
  const bool first_row = (c.first.kind & is_row) != 0, second_row = (c.second.kind & is_row) != 0;
  const bool first_real = (c.first.kind & is_real) != 0, second_real = (c.second.kind & is_real) != 0;
  if (c.order.chunks == 0) {
    if (first_real) {
      visit.template operator()<reals>();
    } else if ((c.first.kind & is_modes) != 0) {
      visit.template operator()<is_row + is_modes>();
    } else if (first_row) {
      visit.template operator()<is_row>();
    } else if ((c.first.kind & loads_blocks) != 0) {
      visit.template operator()<across + loads_blocks>();
    } else {
      visit.template operator()<across>();
    }
    return true;
  }
  if (second_real || first_row == second_row) return false;
  if (((c.first.kind | c.second.kind) & (is_modes + loads_blocks)) != 0) return false;
  if (first_real) {
    visit.template operator()<reals + stores_reused, across + loads_reused>();
  } else if (first_row) {
    visit.template operator()<is_row + stores_reused, across + loads_reused>();
  } else {
    visit.template operator()<across + stores_reused, is_row + loads_reused>();
  }
  return true;
}

/// Both, if they are and have a kernel; otherwise with no lines in the first one.
inline straight_sweeps straight_of(const chained_sweeps& both) {
  straight_sweeps result{straight_of(both.first), {}, both.order};
  if (both.order.chunks == 0) return result;
  result.second = straight_of(both.second);
  const bool known = with_straight_kinds(result, []<straight_kind...>(){});
  if (result.second.lines == 0 || !known) result.first.lines = 0;
  return result;
}

/// One group of lines. Lanes without a line load the last one again and store nothing.
template <class Block, class Real, class Fixed, straight_kind Kind>
class straight_lines {
  using plan = typename Fixed::plan;
  static constexpr bool row = (Kind & is_row) != 0, real = (Kind & is_real) != 0, modes = (Kind & is_modes) != 0;
  static constexpr bool in_blocks = (Kind & loads_blocks) != 0;
  static constexpr bool load_reused = (Kind & loads_reused) != 0, store_reused = (Kind & stores_reused) != 0;

 public:
  using value = complex<Real>;

  WEFT_DEVICE_CODE straight_lines(Block& block, const straight_sweep& s, std::byte* shared)
      : block_(block),
        s_(s),
        work_(reinterpret_cast<value*>(shared)),
        table_(static_cast<const value*>(s.twiddles)),
        threads_(block) {}

  /// The group that begins at `line`; there are no lines from `end` on. What is used again counts from line `base`.
  WEFT_DEVICE_CODE void run(unsigned line, unsigned end, unsigned base) {
    const unsigned loaded = load_reused ? base : 0;
    threads_.each([&](int id, thread& me) {
      const int t = own::number_of(id), lane = own::lane_of(id);
      load(line - loaded + static_cast<unsigned>(lines_of_lane(Kind) * lane), end - loaded, t, me.v);
    });
    const unsigned stored = store_reused ? base : 0;
    stage<0>(line - stored, end - stored);
  }

 private:
  using own = fixed_stages<Block, Real, plan, Fixed::lanes, row>;
  using of_source = std::conditional_t<real, Real, value>;
  struct thread {
    value v[plan::registers()];
  };

  [[nodiscard]] WEFT_DEVICE_CODE std::int64_t line_offset(const straight_side& side, unsigned number) const {
    const unsigned outer = s_.inner(number), inner = number - outer * s_.inner.by;
    return outer * side.outer_step + inner * side.inner_step;
  }
  [[nodiscard]] WEFT_DEVICE_CODE std::byte* start(const straight_side& side, unsigned number) const {
    return side.first[0] + line_offset(side, number);
  }
  template <class T>
  [[nodiscard]] WEFT_DEVICE_CODE static std::int64_t offset(int k, int stride) {
    return static_cast<std::int64_t>(k) * (row ? static_cast<int>(sizeof(T)) : stride);
  }

  WEFT_DEVICE_CODE void load(unsigned number, unsigned end, int t, value* v) const {
    const int stride = s_.source.stride;
    if constexpr (modes) return load_modes(number, end, t, v);
    if constexpr (in_blocks) {
      const std::int64_t line = line_offset(s_.source, number < end ? number : end - 1);
      own::template each<0>(t, [&](int i, int k) {
        const auto at = static_cast<unsigned>(t + k), block = s_.source.block(at);
        const auto inner = static_cast<int>(at - block * s_.source.block.by);
        v[i] = Block::template load_once<value, row>(s_.source.first[block] + line + offset<value>(inner, stride));
      });
      return turn(v);
    }
    const std::int64_t mine = offset<of_source>(t, stride);
    const std::byte* const from = start(s_.source, number < end ? number : end - 1) + mine;
    if constexpr (real) {
      const std::byte* const other = start(s_.source, number + 1 < end ? number + 1 : end - 1) + mine;
      own::template each<0>(t, [&](int i, int k) {
        v[i] = {Block::template load_once<Real, true>(from + offset<Real>(k, stride)),
                Block::template load_once<Real, true>(other + offset<Real>(k, stride))};
      });
      return;
    }
    if constexpr (load_reused) {
      own::template each<0>(t,
                            [&](int i, int k) { v[i] = Block::template load<value>(from + offset<value>(k, stride)); });
    } else {
      own::template each<0>(
          t, [&](int i, int k) { v[i] = Block::template load_once<value, row>(from + offset<value>(k, stride)); });
    }
    turn(v);
  }
  /// Backward is forward of conjugates.
  WEFT_DEVICE_CODE void turn(value* v) const {
    if (s_.backward == 0) return;
    WEFT_UNROLL
    for (int i = 0; i < plan::each(0) * plan::radix(0); ++i) v[i] = conjugate(v[i]);
  }

  /// Conjugates, as backward is forward of these. Modes behind the middle are the conjugates of those before it, which
  /// another thread loads, too: the cache has them. The imaginary parts of the first one and of that in the middle
  /// stand for nothing.
  WEFT_DEVICE_CODE void load_modes(unsigned number, unsigned end, int t, value* v) const {
    const std::byte *const from = start(s_.source, number < end ? number : end - 1), *const other = start(
                                                                                         s_.source, number + 1 < end
                                                                                                        ? number + 1
                                                                                                        : end - 1);
    own::template each<0>(t, [&](int i, int k) {
      const int at = t + k;
      const bool behind = 2 * at > plan::length, single = at == 0 || 2 * at == plan::length;
      const std::int64_t there = offset<value>(behind ? plan::length - at : at, 0);
      value a = Block::template load<value>(from + there), b = Block::template load<value>(other + there);
      if (single) a.y = b.y = 0;
      v[i] = behind ? value{a.x + b.y, a.y - b.x} : value{a.x - b.y, -(a.y + b.x)};
    });
  }

  template <int S>
  WEFT_DEVICE_CODE void stage(unsigned line, unsigned end) {
    constexpr bool last = S + 1 == plan::stages;
    threads_.each([&](int id, thread& me) {
      const int t = own::number_of(id), lane = own::lane_of(id);
      if constexpr (S > 0) own::template get<S>(me.v, work_, t, lane);
      own::template compute<S>(me.v, table_, t);
      if constexpr (last && !real) store<S>(line + static_cast<unsigned>(lines_of_lane(Kind) * lane), end, t, me.v);
    });
    if constexpr (last && !real) return;
    if constexpr (S > 0) own::barrier(block_);
    threads_.each([&](int id, thread& me) { own::template put<S>(me.v, work_, own::number_of(id), own::lane_of(id)); });
    own::barrier(block_);
    if constexpr (!last) {
      stage<S + 1>(line, end);
    } else {
      store_modes(line, end);
    }
  }

  template <int S>
  WEFT_DEVICE_CODE void store(unsigned number, unsigned end, int t, value* v) const {
    if (number >= end) return;
    if constexpr (modes) return store_reals<S>(number, end, t, v);
    if (s_.scale != 1 || s_.backward != 0) {
      const auto scale = static_cast<Real>(s_.scale), turned = s_.backward != 0 ? -scale : scale;
      WEFT_UNROLL
      for (int i = 0; i < plan::each(S) * plan::radix(S); ++i) v[i] = {scale * v[i].x, turned * v[i].y};
    }
    const int stride = s_.sink.stride, reused = store_reused ? 1 : 0;
    if (s_.sink.blocks == 1) {
      std::byte* const to = start(s_.sink, number) + offset<value>(t, stride);
      own::template each<S>(t, [&](int i, int k) { Block::store(to + offset<value>(k, stride), v[i], reused); });
      return;
    }
    const std::int64_t line = line_offset(s_.sink, number);
    own::template each<S>(t, [&](int i, int k) {
      const auto at = static_cast<unsigned>(t + k), block = s_.sink.block(at);
      const auto inner = static_cast<int>(at - block * s_.sink.block.by);
      Block::store(s_.sink.first[block] + line + offset<value>(inner, stride), v[i], reused);
    });
  }

  template <int S>
  WEFT_DEVICE_CODE void store_reals(unsigned number, unsigned end, int t, const value* v) const {
    const auto scale = static_cast<Real>(s_.scale);
    const bool both = number + 1 < end;
    const std::int64_t mine = offset<Real>(t, 0);
    std::byte *const a = start(s_.sink, number) + mine, *const b = start(s_.sink, both ? number + 1 : number) + mine;
    own::template each<S>(t, [&](int i, int k) {
      Block::store(a + offset<Real>(k, 0), scale * v[i].x, 0);
      if (both) Block::store(b + offset<Real>(k, 0), -scale * v[i].y, 0);
    });
  }

  WEFT_DEVICE_CODE void store_modes(unsigned line, unsigned end) {
    threads_.each([&](int id, thread& /*me*/) {
      const int lane = own::lane_of(id), stride = s_.sink.stride, reused = store_reused ? 1 : 0;
      const unsigned number = line + 2 * static_cast<unsigned>(lane);
      if (number >= end) return;
      const bool both = number + 1 < end;
      std::byte *const a = start(s_.sink, number), *const b = start(s_.sink, both ? number + 1 : number);
      own::each_mode(work_, static_cast<Real>(s_.scale), own::number_of(id), lane, [&](int k, value of_a, value of_b) {
        Block::store(a + offset<value>(k, stride), of_a, reused);
        if (both) Block::store(b + offset<value>(k, stride), of_b, reused);
      });
    });
  }

  Block& block_;
  const straight_sweep& s_;
  value* work_;
  const value* table_;
  typename Block::template per_thread<thread> threads_;
};

}  // namespace weft::device
