// SPDX-License-Identifier: BSD-3-Clause
// How the threads of a block share lines of lengths that are known when kernels are compiled.
#pragma once

#include "device/kernels/lines.hpp"

namespace weft::device {

/// Lines whose length is known when this is compiled, a few elements of each in the registers of one of `Threads`
/// threads. Stages need not have as many butterflies for each thread.
template <int Threads, int... Radix>
struct fixed_plan {
  static constexpr int stages = sizeof...(Radix);
  static constexpr int length = (Radix * ...);
  static constexpr int threads = Threads;  // of a lane
  static constexpr int radix(int stage) {
    constexpr int all[] = {Radix...};
    return all[stage];
  }
  static constexpr int before(int stage) {  // elements that the stages before it transformed together
    int product = 1;
    for (int s = 0; s < stage; ++s) product *= radix(s);
    return product;
  }
  static constexpr int each(int stage) {  // butterflies of a thread
    return (length / radix(stage) + Threads - 1) / Threads;
  }
  static constexpr int registers() {
    int most = 0;
    for (int s = 0; s < stages; ++s) most = most < each(s) * radix(s) ? each(s) * radix(s) : most;
    return most;
  }
  static constexpr int twiddles_before(int stage) {  // in the table
    int sum = 0;
    for (int s = 1; s < stage; ++s) sum += before(s) * (radix(s) - 1);
    return sum;
  }
};

/// How blocks work on lines of a length in one precision: lanes make a run across lines as long as the memory likes,
/// and a multiprocessor should have room for so many blocks. Measured, see docs/gpu.md.
template <class Plan, int Lanes, int Blocks>
struct fixed_block {
  using plan = Plan;
  static constexpr int lanes = Lanes, blocks = Blocks, threads = Plan::threads * Lanes;
};

/// How large the work area of a block is, and how it is laid out; see work_layout.
struct work_sizes {
  bool wide, exchanged;
  int row_length, column_length;
  int places;

  static constexpr work_sizes of(int real_bytes, int length, int threads, int radix, int lanes) {
    const int banks = 128 / (2 * real_bytes), spread = length + length / radix + 1;
    work_sizes s{lanes >= banks, (radix & (radix - 1)) == 0 && length % banks == 0, spread, spread, 0};
    if (s.exchanged) s.row_length = 32 % threads == 0 ? length : length + 4;  // lanes share a warp unevenly
    if (s.wide) s.column_length = length;
    s.places = lanes * (s.row_length > s.column_length ? s.row_length : s.column_length);
    return s;
  }
};

/// Where elements of a group's lines lie in the work area, so that threads that write a radix apart meet in no memory
/// bank. Lanes side by side that fill all banks need nothing. Elements of a line that are side by side change places
/// within as many as there are banks, by the number of their first butterfly; where that is no power of two, they are
/// spread. What is not used for that holds loads that are on their way.
template <class Real, class Plan, int Lanes>
struct work_layout {
  static constexpr int radix = Plan::radix(0), banks = 128 / (2 * static_cast<int>(sizeof(Real)));
  static constexpr work_sizes sizes =
      work_sizes::of(static_cast<int>(sizeof(Real)), Plan::length, Plan::threads, radix, Lanes);
  static constexpr bool wide = sizes.wide, exchanged = sizes.exchanged;
  static constexpr int row_length = sizes.row_length, places = sizes.places;

  template <bool Row>
  WEFT_DEVICE_CODE static int place(int k, int lane) {
    const auto turn = static_cast<int>(static_cast<unsigned>(k) / static_cast<unsigned>(radix));
    if constexpr (!Row) return (wide ? k : k + turn) * Lanes + lane;
    return (exchanged ? k ^ (turn & (banks - 1)) : k + turn) + lane * row_length;
  }
};

/// What one thread does with its elements of a line, which are in its registers during a stage and in the work area
/// between two. Where `Row`, neighbouring threads have neighbouring elements of a line, else the same of neighbouring
/// lines; as it is a parameter, places are known but for one number.
template <class Block, class Real, class Plan, int Lanes, bool Row>
struct fixed_stages {
  using value = complex<Real>;
  using layout = work_layout<Real, Plan, Lanes>;

  /// Without signs, so that what is derived from it is known to have none, and divisions are shifts.
  [[nodiscard]] WEFT_DEVICE_CODE static int lane_of(int id) {
    return static_cast<int>(Row ? static_cast<unsigned>(id) / Plan::threads : static_cast<unsigned>(id) % Lanes);
  }
  /// Of a thread among those of its lane.
  [[nodiscard]] WEFT_DEVICE_CODE static int number_of(int id) {
    return static_cast<int>(Row ? static_cast<unsigned>(id) % Plan::threads : static_cast<unsigned>(id) / Lanes);
  }
  [[nodiscard]] WEFT_DEVICE_CODE static int place(int k, int lane) { return layout::template place<Row>(k, lane); }

  [[nodiscard]] WEFT_DEVICE_CODE static int modulo(int n, int by) {
    return static_cast<int>(static_cast<unsigned>(n) % static_cast<unsigned>(by));
  }

  /// Until all threads of a lane are here: those of a row may be of one warp.
  WEFT_DEVICE_CODE static void barrier(Block& block) {
    if constexpr (Row && 32 % Plan::threads == 0) {
      block.warp_barrier();
    } else {
      block.barrier();
    }
  }

  /// Calls visit(register, element of the line less t) for what a thread has before stage S and, if that is the last
  /// one, after it. The latter is known when this is compiled, so that addresses differ by what all threads have.
  template <int S, class Visit>
  WEFT_DEVICE_CODE static void each(int t, const Visit& visit) {
    constexpr int radix = Plan::radix(S), count = Plan::length / radix;
    WEFT_UNROLL
    for (int b = 0; b < Plan::each(S); ++b) {
      const int j = t + Plan::threads * b;
      WEFT_UNROLL
      for (int k = 0; k < radix; ++k) {
        if (Plan::each(S) * Plan::threads == count || j < count) visit(b * radix + k, Plan::threads * b + k * count);
      }
    }
  }
  template <int S>
  WEFT_DEVICE_CODE static void compute(value* v, const value* table, int t) {
    constexpr int radix = Plan::radix(S), before = Plan::before(S), count = Plan::length / radix;
    WEFT_UNROLL
    for (int b = 0; b < Plan::each(S); ++b) {
      const int j = t + Plan::threads * b;
      if (Plan::each(S) * Plan::threads != count && j >= count) continue;
      if constexpr (S > 0)
        twiddle<radix, Block>(v + b * radix, table + Plan::twiddles_before(S), modulo(j, before), before);
      butterfly<radix>::run(v + b * radix);
    }
  }
  template <int S>
  WEFT_DEVICE_CODE static void get(value* v, const value* work, int t, int lane) {
    each<S>(t, [&](int i, int k) { v[i] = work[place(t + k, lane)]; });
  }
  /// What stage S made, where the next one finds it.
  template <int S>
  WEFT_DEVICE_CODE static void put(const value* v, value* work, int t, int lane) {
    constexpr int radix = Plan::radix(S), before = Plan::before(S), count = Plan::length / radix;
    WEFT_UNROLL
    for (int b = 0; b < Plan::each(S); ++b) {
      const int j = t + Plan::threads * b, start = (j - modulo(j, before)) * radix + modulo(j, before);
      WEFT_UNROLL
      for (int k = 0; k < radix; ++k) {
        if (Plan::each(S) * Plan::threads == count || j < count)
          work[place(start + k * before, lane)] = v[b * radix + k];
      }
    }
  }

  /// Calls visit(k, mode k of the first line, of the second) for a thread's part of the modes of two real lines, from
  /// those of the complex line that they make.
  template <class Visit>
  WEFT_DEVICE_CODE static void each_mode(const value* work, Real scale, int t, int lane, const Visit& visit) {
    const Real half = scale / 2;
    WEFT_UNROLL
    for (int i = 0; i * Plan::threads <= Plan::length / 2; ++i) {
      const int k = t + i * Plan::threads;
      if (k > Plan::length / 2) continue;
      const value low = work[place(k, lane)], high = work[place(k == 0 ? 0 : Plan::length - k, lane)];
      visit(k, value{half * (low.x + high.x), half * (low.y - high.y)},
            value{half * (low.y + high.y), half * (high.x - low.x)});
    }
  }
};

}  // namespace weft::device
