// SPDX-License-Identifier: BSD-3-Clause
// How a thread finds the elements of its lines.
#pragma once

#include "device/kernels/task.hpp"

namespace weft::device {

/// Walks through the positions of line `number` of the box, the last axis first.
struct line_positions {
  const line_box& box;
  std::int64_t number;

  /// Along axis l; the axes behind it have been asked for.
  [[nodiscard]] WEFT_DEVICE_CODE std::int64_t next(int l) {
    std::int64_t at = number;
    if (l > 0) {
      const std::int64_t count = box.count[l];
      if (number < 0x7fffffff && count < 0x7fffffff) {  // division of 64 bits takes long
        const auto a = static_cast<unsigned>(number), b = static_cast<unsigned>(count);
        number = a / b;
        at = a % b;
      } else {
        at = number % count;
        number /= count;
      }
    }
    return at + box.first[l];
  }
};

/// Where line `number` of the box is, if all is one block.
WEFT_DEVICE_CODE line_run single_run_of(const sweep& s, const side_tables& side, std::int64_t number) {
  std::int64_t offset = side.block_offset[0];
  line_positions walk{s.box, number};
  for (int l = s.axes - 1; l >= 0; --l) offset += walk.next(l) * side.block_strides[l];
  return {side.buffers[side.block_buffer[0]] + offset, side.block_strides[s.axes]};
}

/// Where the elements of line `number` of the box are that lie in piece `piece` along it. Which cell that is must be
/// known before its strides are.
WEFT_DEVICE_CODE line_run run_of(const sweep& s, const side_tables& side, std::int64_t number, int piece) {
  if (side.blocks == 1) return single_run_of(s, side, number);
  int cell = piece * side.along_cell_step;
  if (side.cut != 0) {
    line_positions walk{s.box, number};
    for (int l = s.axes - 1; l >= 0; --l) {
      const std::int64_t at = walk.next(l);
      if (side.places[l] != nullptr) cell += side.places[l][at].piece * side.cell_step[l];
    }
  }
  const cell_place c = side.cells[cell];
  if (c.buffer < 0) return {nullptr, 0};
  const std::int64_t* const strides = side.strides + c.strides;
  std::int64_t offset = c.offset;
  line_positions walk{s.box, number};
  for (int l = s.axes - 1; l >= 0; --l) {
    const std::int64_t at = walk.next(l);
    offset += (side.places[l] == nullptr ? at : side.places[l][at].inner) * strides[l];
  }
  return {side.buffers[c.buffer] + offset, strides[s.axes]};
}

/// One line on one side: its run in each piece, `step` apart. Without runs there is no line.
struct line_reach {
  const place_in_axis* along;
  const line_run* runs;
  int step;
  std::int64_t other_digit;  // where the line is along its axis; 0 where lines are whole

  /// Null: nothing is there.
  [[nodiscard]] WEFT_DEVICE_CODE std::byte* at(std::int64_t k) const {
    if (runs == nullptr) return nullptr;
    const place_in_axis p = along == nullptr ? place_in_axis{0, static_cast<int>(k)} : along[k];
    const line_run& r = runs[static_cast<std::int64_t>(p.piece) * step];
    return r.first == nullptr ? nullptr : r.first + p.inner * r.stride;
  }
};

WEFT_DEVICE_CODE line_reach no_reach() { return {nullptr, nullptr, 0, 0}; }

/// The kp-th power of the root between two digits.
template <class Block, class Real>
WEFT_DEVICE_CODE complex<Real> root_between(const line_digit& d, unsigned power) {
  const unsigned low = power & ((1U << d.low_bits) - 1), high = power >> d.low_bits;
  return Block::constant(static_cast<const complex<Real>*>(d.low_roots) + low) *
         Block::constant(static_cast<const complex<Real>*>(d.high_roots) + high);
}

/// Lines of a group: two for each lane in real transforms.
WEFT_DEVICE_CODE int width_of(const sweep& s) {
  return s.kind == sweep_kind::real_to_complex || s.kind == sweep_kind::complex_to_real ? 2 * s.lanes : s.lanes;
}

/// A factor for element k, and whether it is conjugated.
template <class Real>
WEFT_DEVICE_CODE complex<Real> operated(const sweep& s, const side_operations& o, const line_reach& line,
                                        std::int64_t k, complex<Real> value) {
  if (s.digit.step != 0) k = k * s.digit.step + line.other_digit;
  if (o.turns != nullptr) value = value * static_cast<const complex<Real>*>(o.turns)[k];
  return k >= o.conjugated_from ? conjugate(value) : value;
}

template <class Block, class Real>
WEFT_DEVICE_CODE complex<Real> get_complex(const sweep& s, const line_reach& from, std::int64_t k) {
  const std::byte* const p = from.at(k);
  if (p == nullptr) return {0, 0};
  const auto value = Block::template load<complex<Real>>(p);
  return operated(s, s.loading, from, k, value);
}

template <class Block, class Real>
WEFT_DEVICE_CODE void put_complex(const sweep& s, const line_reach& to, std::int64_t k, complex<Real> value) {
  std::byte* const p = to.at(k);
  if (p == nullptr) return;
  const auto scale = static_cast<Real>(s.scale);
  value = operated(s, s.storing, to, k, value);
  Block::store(p, complex<Real>{scale * value.x, scale * value.y}, s.store_reused);
}

template <class Block, class Real>
WEFT_DEVICE_CODE Real get_real(const line_reach& from, std::int64_t k) {
  const std::byte* const p = from.at(k);
  return p == nullptr ? Real{0} : Block::template load<Real>(p);
}

template <class Block, class Real>
WEFT_DEVICE_CODE void put_real(const sweep& s, const line_reach& to, std::int64_t k, Real value) {
  std::byte* const p = to.at(k);
  if (p != nullptr) Block::store(p, static_cast<Real>(s.scale) * value, s.store_reused);
}

/// A lane's lines on one side: two in a real transform, which become the real and the imaginary parts of one complex
/// line.
struct lane_reach {
  line_reach a, b;
};

/// `runs`: those of all lines of the group that begins at `line`, by piece. There are none where a rank keeps nothing
/// of what it has.
WEFT_DEVICE_CODE lane_reach reach_of(const sweep& s, const side_tables& side, const line_run* runs, int lane,
                                     std::int64_t line) {
  if (side.along_pieces == 0) return {no_reach(), no_reach()};
  const int width = width_of(s), number = width == s.lanes ? lane : 2 * lane;
  lane_reach result{{side.along, runs + number, width, 0}, no_reach()};
  if (width != s.lanes) result.b = {side.along, runs + number + 1, width, 0};
  if (s.digit.step != 0 && line + number < s.box.lines) {
    line_positions walk{s.box, line + number};
    for (int l = s.axes - 1; l >= s.digit.axis; --l) result.a.other_digit = walk.next(l);
  }
  return result;
}

/// The runs of all lanes of a group that begins at `line`, by the threads of a block together.
WEFT_DEVICE_CODE void fill_runs(const sweep& s, const side_tables& side, line_run* runs, std::int64_t line,
                                std::int64_t end, int width, int thread, int threads) {
  for (int i = thread; i < width * side.along_pieces; i += threads) {
    const std::int64_t number = line + i % width;
    runs[i] = number < end ? run_of(s, side, number, i / width) : line_run{nullptr, 0};
  }
}

/// Modes k and n-k of two real lines a and b as those of a + ib, for a transform backward by a forward one.
template <class Real>
struct mode_pair {
  complex<Real> low, high;
};

template <class Block, class Real>
WEFT_DEVICE_CODE mode_pair<Real> get_modes(const sweep& s, const lane_reach& from, int k) {
  auto a = get_complex<Block, Real>(s, from.a, k), b = get_complex<Block, Real>(s, from.b, k);
  if (k == 0 || 2 * k == s.length) a.y = b.y = 0;
  return {{a.x - b.y, -(a.y + b.x)}, {a.x + b.y, a.y - b.x}};
}

template <class Block, class Real>
WEFT_DEVICE_CODE void put_modes(const sweep& s, const lane_reach& to, int k, mode_pair<Real> z) {
  const Real half = Real(0.5);
  put_complex<Block, Real>(s, to.a, k, {half * (z.low.x + z.high.x), half * (z.low.y - z.high.y)});
  put_complex<Block, Real>(s, to.b, k, {half * (z.low.y + z.high.y), half * (z.high.x - z.low.x)});
}

/// Loads elements first, first + step, ... of a lane as complex numbers to be transformed forward; keep(k, value). A
/// few are loaded before the first is kept: else each would wait for the one before.
template <class Block, class Real, class Keep>
WEFT_DEVICE_CODE void load_line(const sweep& s, const lane_reach& from, int length, int first, int step,
                                const Keep& keep) {
  constexpr int together = 4;
  if (s.kind == sweep_kind::complex_to_real) {
    for (int k = first; k <= length / 2; k += together * step) {
      mode_pair<Real> z[together] = {};
      WEFT_UNROLL
      for (int i = 0; i < together; ++i) {
        if (k + i * step <= length / 2) z[i] = get_modes<Block, Real>(s, from, k + i * step);
      }
      WEFT_UNROLL
      for (int i = 0; i < together; ++i) {
        const int at = k + i * step;
        if (at <= length / 2) keep(at, z[i].low);
        if (at <= length / 2 && at > 0) keep(length - at, z[i].high);
      }
    }
    return;
  }
  for (int k = first; k < length; k += together * step) {
    complex<Real> v[together] = {};
    WEFT_UNROLL
    for (int i = 0; i < together; ++i) {
      const int at = k + i * step;
      if (at >= length) continue;
      if (s.kind == sweep_kind::real_to_complex) {
        v[i] = {get_real<Block, Real>(from.a, at), get_real<Block, Real>(from.b, at)};
      } else {
        v[i] = get_complex<Block, Real>(s, from.a, at);
      }
    }
    WEFT_UNROLL
    for (int i = 0; i < together; ++i) {
      const int at = k + i * step;
      if (at >= length) continue;
      if (s.backward != 0) v[i] = conjugate(v[i]);
      if (s.digit.low_roots != nullptr) {
        v[i] = v[i] * root_between<Block, Real>(s.digit, static_cast<unsigned>(at * from.a.other_digit));
      }
      keep(at, v[i]);
    }
  }
}

/// The other way round; what(k) is the result.
template <class Block, class Real, class What>
WEFT_DEVICE_CODE void store_line(const sweep& s, const lane_reach& to, int length, int first, int step,
                                 const What& what) {
  if (s.kind == sweep_kind::real_to_complex) {
    for (int k = first; k <= length / 2; k += step) {
      put_modes<Block, Real>(s, to, k, {what(k), what(k == 0 ? 0 : length - k)});
    }
  } else if (s.kind == sweep_kind::complex_to_real) {
    for (int k = first; k < length; k += step) {
      const complex<Real> v = what(k);
      put_real<Block, Real>(s, to.a, k, v.x);
      put_real<Block, Real>(s, to.b, k, -v.y);
    }
  } else {
    for (int k = first; k < length; k += step) {
      const complex<Real> v = what(k);
      put_complex<Block, Real>(s, to.a, k, s.backward != 0 ? conjugate(v) : v);
    }
  }
}

}  // namespace weft::device
