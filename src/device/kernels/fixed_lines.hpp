// SPDX-License-Identifier: BSD-3-Clause
// Lines of lengths that are known when kernels are compiled.
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

/// Where elements of a group's lines lie in the work area, so that threads that write a radix apart meet in no memory
/// bank. Lanes side by side that fill all banks need nothing. Elements of a line that are side by side change places
/// within as many as there are banks, by the number of their first butterfly; where that is no power of two, they are
/// spread. What is not used for that holds loads that are on their way.
template <class Real, class Plan, int Lanes>
struct work_layout {
  static constexpr int radix = Plan::radix(0), banks = 128 / (2 * static_cast<int>(sizeof(Real)));
  static constexpr bool wide = Lanes >= banks, exchanged = (radix & (radix - 1)) == 0 && Plan::length % banks == 0;
  static constexpr int spread_length = Plan::length + Plan::length / radix + 1;
  static constexpr int row_length = !exchanged                ? spread_length
                                    : 32 % Plan::threads == 0 ? Plan::length
                                                              : Plan::length + 4;  // lanes share a warp unevenly
  static constexpr int column_length = wide ? Plan::length : spread_length;
  /// Of the work area.
  static constexpr int places = Lanes * (row_length > column_length ? row_length : column_length);

  template <bool Row>
  WEFT_DEVICE_CODE static int place(int k, int lane) {
    if constexpr (!Row) return (wide ? k : k + k / radix) * Lanes + lane;
    return (exchanged ? k ^ (k / radix % banks) : k + k / radix) + lane * row_length;
  }
};

/// One group of lines. Plain lines go straight from memory to registers and back; all others, which are operated on or
/// are modes, go through the work area, so that the code for them is there only once. What is needed in the middle is
/// in members, which are registers: numbers of the sweep would be loaded again after every store. Where `Row`, as in
/// the sweep, is a parameter, places are known but for one number.
template <class Block, class Real, class Plan, int Lanes>
class fixed_lines {
 public:
  using value = complex<Real>;

  WEFT_DEVICE_CODE fixed_lines(Block& block, const sweep& s, std::byte* shared)
      : block_(block),
        s_(s),
        work_(reinterpret_cast<value*>(shared)),
        table_(static_cast<const value*>(s.twiddles)),
        row_(s.row != 0),
        loads_(s.source_plain != 0),
        stores_(s.sink_plain != 0 && s.kind == sweep_kind::complex_to_complex),
        modes_(s.sink_plain != 0 && s.kind == sweep_kind::real_to_complex),
        backward_(s.backward != 0),
        threads_(block) {}

  /// The group that begins at `line`; there are no lines from `end` on.
  WEFT_DEVICE_CODE void run(std::int64_t line, std::int64_t end) {
    // A thread that can tell where its line is begins to load at once; a few tell where lines go, which is not needed
    // before the next barrier.
    const bool at_once = loads_ && s_.source.single != 0;
    threads_.each([&](int id, thread& /*me*/) {
      fill_runs(s_, s_.sink, sink_runs(), line, end, width_of(s_), id, block_.threads());
      if (!at_once) fill_runs(s_, s_.source, source_runs(), line, end, width_of(s_), id, block_.threads());
    });
    if (!at_once) block_.barrier();
    if (!loads_) load();
    if (row_) {
      transform<true>(line, end, at_once);
    } else {
      transform<false>(line, end, at_once);
    }
    if (!stores_ && !modes_) store();
  }

 private:
  struct thread {
    value v[Plan::registers()];
  };

  using layout = work_layout<Real, Plan, Lanes>;

  [[nodiscard]] WEFT_DEVICE_CODE static int lane_of(bool row, int id) { return row ? id / Plan::threads : id % Lanes; }
  [[nodiscard]] WEFT_DEVICE_CODE static int number_of(bool row, int id) {
    return row ? id % Plan::threads : id / Lanes;
  }
  [[nodiscard]] WEFT_DEVICE_CODE line_run* source_runs() const {
    return reinterpret_cast<line_run*>(work_ + layout::places);
  }
  [[nodiscard]] WEFT_DEVICE_CODE line_run* sink_runs() const {
    return source_runs() + width_of(s_) * s_.source.along_pieces;
  }
  template <bool Row>
  [[nodiscard]] WEFT_DEVICE_CODE value& work(int k, int lane) const {
    return work_[layout::template place<Row>(k, lane)];
  }
  [[nodiscard]] WEFT_DEVICE_CODE value& any_work(int k, int lane) const {
    return row_ ? work<true>(k, lane) : work<false>(k, lane);
  }

  template <bool Row>
  WEFT_DEVICE_CODE void transform(std::int64_t line, std::int64_t end, bool at_once) {
    if (loads_) {
      threads_.each([&](int id, thread& me) {
        const int lane = lane_of(Row, id), number = s_.kind == sweep_kind::real_to_complex ? 2 * lane : lane;
        const auto run_at = [&](int n) {
          if (!at_once) return source_runs()[n];
          return line + n < end ? single_run_of(s_, s_.source, line + n) : line_run{nullptr, 0};
        };
        load_straight<Row>(run_at, number, number_of(Row, id), me.v);
      });
    }
    stage<Row, 0>();
    if (modes_) store_modes<Row>();
  }

  /// The inputs of the first stage, straight to registers. Loops for each case, so that no load waits for the one
  /// before to know which it is.
  template <bool Row, class RunAt>
  WEFT_DEVICE_CODE void load_straight(const RunAt& run_at, int number, int t, value* v) const {
    if (s_.source.along_pieces > 1) {
      const line_reach from = reach_of(s_, s_.source, source_runs(), number).a;
      each_input(t, [&](int i, int k) {
        const std::byte* const p = from.at(k);
        v[i] = p == nullptr ? value{0, 0} : Block::template load<value>(p);
      });
      return conjugate_inputs(v);
    }
    const line_run from = run_at(number);
    if (s_.kind == sweep_kind::real_to_complex) {  // of the two lines, one may be absent
      const line_run other = run_at(number + 1);
      const auto real = [](const line_run& r, int k) {
        return r.first == nullptr ? Real{0} : Block::template load<Real>(r.first + k * r.stride);
      };
      each_input(t, [&](int i, int k) { v[i] = {real(from, k), real(other, k)}; });
      return;
    }
    if (from.first == nullptr) {
      WEFT_UNROLL
      for (int i = 0; i < Plan::each(0) * Plan::radix(0); ++i) v[i] = {0, 0};
      return;
    }
    if (s_.load_reused != 0) {
      each_input(t, [&](int i, int k) { v[i] = Block::template load<value>(from.first + k * from.stride); });
    } else {
      each_input(t, [&](int i, int k) { v[i] = Block::template load_once<value, Row>(from.first + k * from.stride); });
    }
    conjugate_inputs(v);
  }
  WEFT_DEVICE_CODE void conjugate_inputs(value* v) const {
    if (!backward_) return;
    WEFT_UNROLL
    for (int i = 0; i < Plan::each(0) * Plan::radix(0); ++i) v[i] = conjugate(v[i]);
  }
  /// Calls visit(register, element of the line) for those of a thread in the first stage.
  template <class Visit>
  WEFT_DEVICE_CODE static void each_input(int t, const Visit& visit) {
    constexpr int R = Plan::radix(0), count = Plan::length / R;
    WEFT_UNROLL
    for (int b = 0; b < Plan::each(0); ++b) {
      const int j = t + Plan::threads * b;
      WEFT_UNROLL
      for (int k = 0; k < R; ++k) {
        if (Plan::each(0) * Plan::threads == count || j < count) visit(b * R + k, j + k * count);
      }
    }
  }

  template <bool Row, int S>
  WEFT_DEVICE_CODE void stage() {
    constexpr int R = Plan::radix(S), before = Plan::before(S), count = Plan::length / R, each = Plan::each(S);
    constexpr bool last = S + 1 == Plan::stages, uneven = each * Plan::threads != count;
    const bool from_memory = S == 0 && loads_, to_memory = last && stores_;
    threads_.each([&](int id, thread& me) {
      const int t = number_of(Row, id), lane = lane_of(Row, id);
      if (!from_memory) {
        WEFT_UNROLL
        for (int b = 0; b < each; ++b) {
          const int j = t + Plan::threads * b;
          WEFT_UNROLL
          for (int k = 0; k < R; ++k) {
            if (!uneven || j < count) me.v[b * R + k] = work<Row>(j + k * count, lane);
          }
        }
      }
      WEFT_UNROLL
      for (int b = 0; b < each; ++b) {
        const int j = t + Plan::threads * b;
        if (uneven && j >= count) continue;
        if constexpr (S > 0) twiddle<R, Block>(me.v + b * R, table_ + Plan::twiddles_before(S), j % before, before);
        butterfly<R>::run(me.v + b * R);
      }
      if (!to_memory) return;
      const auto scale = static_cast<Real>(s_.scale), turned = backward_ ? -scale : scale;
      const int reused = s_.store_reused;
      // After the last stage elements are in natural order.
      const auto each_output = [&](const auto& visit) {
        WEFT_UNROLL
        for (int b = 0; b < each; ++b) {
          const int j = t + Plan::threads * b;
          WEFT_UNROLL
          for (int k = 0; k < R; ++k) {
            const value v = me.v[b * R + k];
            if (!uneven || j < count) visit(j + k * count, value{scale * v.x, turned * v.y});
          }
        }
      };
      if (s_.sink.along_pieces > 1) {
        const line_reach to = reach_of(s_, s_.sink, sink_runs(), lane).a;
        each_output([&](int k, value v) {
          if (std::byte* const p = to.at(k); p != nullptr) Block::store(p, v, reused);
        });
      } else if (const line_run to = sink_runs()[lane]; to.first != nullptr) {
        each_output([&](int k, value v) { Block::store(to.first + k * to.stride, v, reused); });
      }
    });
    if (to_memory) return;
    if (!from_memory) block_.barrier();
    threads_.each([&](int id, thread& me) {
      const int t = number_of(Row, id), lane = lane_of(Row, id);
      WEFT_UNROLL
      for (int b = 0; b < each; ++b) {
        const int j = t + Plan::threads * b;
        const int start = (j / before) * before * R + j % before;
        WEFT_UNROLL
        for (int k = 0; k < R; ++k) {
          if (!uneven || j < count) work<Row>(start + k * before, lane) = me.v[b * R + k];
        }
      }
    });
    block_.barrier();
    if constexpr (!last) stage<Row, S + 1>();
  }

  WEFT_DEVICE_CODE void load() {
    threads_.each([&](int id, thread& /*me*/) {
      const int lane = lane_of(row_, id);
      const lane_reach from = reach_of(s_, s_.source, source_runs(), lane);
      load_line<Block, Real>(s_, from, Plan::length, number_of(row_, id), Plan::threads,
                             [&](int k, value v) { any_work(k, lane) = v; });
    });
    block_.barrier();
  }

  WEFT_DEVICE_CODE void store() {
    threads_.each([&](int id, thread& /*me*/) {
      const int lane = lane_of(row_, id);
      const lane_reach to = reach_of(s_, s_.sink, sink_runs(), lane);
      store_line<Block, Real>(s_, to, Plan::length, number_of(row_, id), Plan::threads,
                              [&](int k) { return any_work(k, lane); });
    });
  }

  /// The modes of two real lines from those of the complex line that they make, where nothing else is done to them.
  template <bool Row>
  WEFT_DEVICE_CODE void store_modes() {
    threads_.each([&](int id, thread& /*me*/) {
      const int lane = lane_of(Row, id), t = number_of(Row, id), reused = s_.store_reused;
      const line_run a = sink_runs()[2 * lane], b = sink_runs()[2 * lane + 1];
      const auto half = static_cast<Real>(s_.scale) / 2;
      WEFT_UNROLL
      for (int i = 0; i * Plan::threads <= Plan::length / 2; ++i) {
        const int k = t + i * Plan::threads;
        if (k > Plan::length / 2) continue;
        const value low = work<Row>(k, lane), high = work<Row>(k == 0 ? 0 : Plan::length - k, lane);
        const value of_a{half * (low.x + high.x), half * (low.y - high.y)};
        const value of_b{half * (low.y + high.y), half * (high.x - low.x)};
        if (a.first != nullptr) Block::store(a.first + k * a.stride, of_a, reused);
        if (b.first != nullptr) Block::store(b.first + k * b.stride, of_b, reused);
      }
    });
  }

  Block& block_;
  const sweep& s_;
  value* work_;
  const value* table_;
  bool row_, loads_, stores_, modes_, backward_;
  typename Block::template per_thread<thread> threads_;
};

}  // namespace weft::device
