// SPDX-License-Identifier: BSD-3-Clause
// What a straight kernel is told: a sweep whose sides are plain arrays, or equal blocks of lines.
#pragma once

#include "device/kernels/task.hpp"

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
/// apart; where lines are turned, n / inner has the other digit in it, which has a step of its own. All in bytes. There
/// may be several blocks of a line, as many elements each.
struct straight_side {
  std::byte* first[most_blocks];
  int blocks;
  quotient block;
  std::int64_t outer_step, digit_step, inner_step;
  int stride;
};

/// What is known of a sweep when its kernel is compiled, as a sum. A number, as compilers for devices take no others.
using straight_kind = int;
inline constexpr straight_kind is_row = 1;                           // as in a sweep
inline constexpr straight_kind is_real = 2;                          // two real lines make a complex one
inline constexpr straight_kind loads_reused = 4, stores_reused = 8;  // as in a sweep
inline constexpr straight_kind is_modes = 16;                        // modes of two real lines make a complex one
inline constexpr straight_kind loads_blocks = 32;                    // lines are loaded from several blocks
inline constexpr straight_kind is_turned = 64;                       // by roots between two digits

/// Lines that a group has for each lane.
WEFT_CONSTANT_CODE int lines_of_lane(straight_kind kind) { return (kind & (is_real + is_modes)) != 0 ? 2 : 1; }

struct straight_sweep {
  straight_side source, sink;
  quotient inner;        // lines side by side
  quotient other_digit;  // positions of it
  line_digit turning;
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
  const bool turned = s.digit.low_roots != nullptr;
  if (turned && (s.row != 0 || from_blocks)) return result;
  struct axis {
    std::int64_t count, from, to;
  } axes[2] = {{1, 0, 0}, {1, 0, 0}}, digit{1, 0, 0};  // the inner one, the outer one; the other digit's between them
  int found = 0;
  std::int64_t from_first = 0, to_first = 0;
  for (int l = s.axes - 1; l >= 0; --l) {
    from_first += s.box.first[l] * from[l];
    to_first += s.box.first[l] * to[l];
    const axis next{s.box.count[l], from[l], to[l]};
    if (turned && l == s.digit.axis) {
      digit = next;
      found = 1;
      continue;
    }
    if (next.count == 1) continue;
    if (found > 0) {
      axis& last = axes[found - 1];
      const bool goes_on = next.from == last.count * last.from && next.to == last.count * last.to;
      if (goes_on && !(turned && l < s.digit.axis && found == 1)) {
        last.count *= next.count;
        continue;
      }
    }
    if (found == 2 || (turned && l > s.digit.axis && found == 1)) return result;
    axes[found++] = next;
  }
  const auto side = [&](const side_tables& t, std::int64_t first, std::int64_t outer, std::int64_t of_digit,
                        std::int64_t inner) {
    straight_side r{{},
                    t.blocks,
                    quotient::of(static_cast<unsigned>(t.block_length)),
                    outer,
                    of_digit,
                    inner,
                    static_cast<int>(t.block_strides[s.axes])};
    for (int i = 0; i < t.blocks; ++i) {  // without buffers while it is planned
      std::byte* const buffer = t.buffers[t.block_buffer[i]];
      r.first[i] = buffer == nullptr ? nullptr : buffer + t.block_offset[i] + first;
    }
    return r;
  };
  result.source = side(s.source, from_first, axes[1].from, digit.from, axes[0].from);
  result.sink = side(s.sink, to_first, axes[1].to, digit.to, axes[0].to);
  result.other_digit = quotient::of(static_cast<unsigned>(digit.count));
  result.turning = s.digit;
  result.inner = quotient::of(static_cast<unsigned>(axes[0].count));
  result.kind = (s.row != 0 ? is_row : 0) + (real ? is_real : 0) + (modes ? is_modes : 0) +
                (s.load_reused != 0 ? loads_reused : 0) + (s.store_reused != 0 ? stores_reused : 0) +
                (from_blocks ? loads_blocks : 0) + (turned ? is_turned : 0);
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
    } else if ((c.first.kind & is_turned) != 0) {
      visit.template operator()<across + is_turned>();
    } else {
      visit.template operator()<across>();
    }
    return true;
  }
  if (second_real || first_row == second_row) return false;
  if (((c.first.kind | c.second.kind) & (is_modes + loads_blocks + is_turned)) != 0) return false;
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

}  // namespace weft::device
