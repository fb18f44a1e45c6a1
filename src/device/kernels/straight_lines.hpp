// SPDX-License-Identifier: BSD-3-Clause
// Lines of lengths that are known when kernels are compiled, where both sides are plain arrays: nothing stands in the
// kernel but the way from memory through registers and back. Other code beside that makes it slower, see docs/gpu.md.
#pragma once

#include <type_traits>

#include "device/kernels/fixed_stages.hpp"
#include "device/kernels/straight_sweeps.hpp"

namespace weft::device {

/// One group of lines. Lanes without a line load the last one again and store nothing.
template <class Block, class Real, class Fixed, straight_kind Kind>
class straight_lines {
  using plan = typename Fixed::plan;
  static constexpr bool row = (Kind & is_row) != 0, real = (Kind & is_real) != 0, modes = (Kind & is_modes) != 0;
  static constexpr bool in_blocks = (Kind & loads_blocks) != 0, is_digit = (Kind & is_turned) != 0;
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

  [[nodiscard]] WEFT_DEVICE_CODE unsigned digit_of(unsigned number) const {
    const unsigned outer = s_.inner(number);
    return outer - s_.other_digit(outer) * s_.other_digit.by;
  }
  [[nodiscard]] WEFT_DEVICE_CODE std::int64_t line_offset(const straight_side& side, unsigned number) const {
    const unsigned outer = s_.inner(number), inner = number - outer * s_.inner.by;
    if constexpr (is_digit) {
      return s_.other_digit(outer) * side.outer_step + digit_of(number) * side.digit_step + inner * side.inner_step;
    }
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
    if constexpr (is_digit) turn_between(digit_of(number < end ? number : end - 1), t, v);
  }
  /// Backward is forward of conjugates.
  WEFT_DEVICE_CODE void turn(value* v) const {
    if (s_.backward == 0) return;
    WEFT_UNROLL
    for (int i = 0; i < plan::each(0) * plan::radix(0); ++i) v[i] = conjugate(v[i]);
  }
  /// By powers of the root between two digits, of which inputs of all butterflies need the same but for one each. Those
  /// are products of few from the table: powers of one that is rounded would have its error many times.
  WEFT_DEVICE_CODE void turn_between(unsigned digit, int t, value* v) const {
    constexpr int radix = plan::radix(0), count = plan::length / radix;
    const value* const roots = static_cast<const value*>(s_.turning.stage_roots) + digit;
    const auto root = [&](int number) { return Block::constant(roots + number * static_cast<int>(s_.other_digit.by)); };
    value inner[4];
    WEFT_UNROLL
    for (int i = 1; i < 4 && i < radix; ++i) inner[i] = root(count + i - 1);
    WEFT_UNROLL
    for (int b = 0; b < plan::each(0); ++b) {
      const int j = t + plan::threads * b;
      if (plan::each(0) * plan::threads != count && j >= count) continue;
      const value first = root(j);
      WEFT_UNROLL
      for (int k = 0; k < radix; k += 4) {
        const value outer = k == 0 ? first : first * root(count + k - 1);
        WEFT_UNROLL
        for (int i = 0; i < 4 && k + i < radix; ++i)
          v[b * radix + k + i] = v[b * radix + k + i] * (i == 0 ? outer : outer * inner[i]);
      }
    }
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
