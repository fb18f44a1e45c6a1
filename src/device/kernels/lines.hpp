// SPDX-License-Identifier: BSD-3-Clause
// The kernels' code, for any block of threads: one of a device, or one that the host plays.
//
// A block has threads() and barrier(), and `per_thread<State>`, whose each() calls a function for each thread with its
// number and its state. On a device every thread calls it once for itself, and states are registers; on the host one
// thread after the other is played. So whatever threads do between two barriers stands in one each().
#pragma once

#include "device/kernels/butterflies.hpp"
#include "device/kernels/reach.hpp"

namespace weft::device {

/// Places in the work area are spread a little, so that threads that write a radix apart meet in no memory bank.
WEFT_DEVICE_CODE int spread(int place) { return place + (place >> 3); }

/// Places of one lane.
WEFT_DEVICE_CODE constexpr int spread_length(int length) { return length + length / 8 + 1; }

/// Multiplies the R inputs of butterfly j of a stage that follows stages of `before` elements together. Even powers
/// come from the table and odd ones are the product of two: a table for all would take more of the cache's time.
template <int R, class Block, class Real>
WEFT_DEVICE_CODE void twiddle(complex<Real>* v, const complex<Real>* table, int at, int before) {
  const complex<Real> first = Block::constant(table + at);
  complex<Real> power = first;
  WEFT_UNROLL
  for (int k = 1; k < R; ++k) {
    v[k] = v[k] * power;
    if (k + 1 < R) power = k % 2 == 0 ? power * first : Block::constant(table + k * before + at);
  }
}

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

/// One group of lines. Plain complex lines go straight from memory to registers and back; all others, which are in
/// pieces, operated on or real, go through the work area, so that the code for them is there only once. What is needed
/// in the middle is in members, which are registers: numbers of the sweep would be loaded again after every store.
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
        stores_(s.sink_plain != 0),
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
    if (loads_) {
      threads_.each([&](int id, thread& me) {
        const int lane = lane_of(id), number = s_.kind == sweep_kind::real_to_complex ? 2 * lane : lane;
        const auto run_at = [&](int n) {
          if (!at_once) return source_runs()[n];
          return line + n < end ? single_run_of(s_, s_.source, line + n) : line_run{nullptr, 0};
        };
        load_straight(run_at, number, number_of(id), me.v);
      });
    } else {
      load();
    }
    stage<0>();
    if (!stores_) store();
  }

 private:
  struct thread {
    value v[Plan::registers()];
  };

  [[nodiscard]] WEFT_DEVICE_CODE int lane_of(int id) const { return row_ ? id / Plan::threads : id % Lanes; }
  [[nodiscard]] WEFT_DEVICE_CODE int number_of(int id) const { return row_ ? id % Plan::threads : id / Lanes; }
  [[nodiscard]] WEFT_DEVICE_CODE line_run* source_runs() const {
    return reinterpret_cast<line_run*>(work_ + spread_length(Plan::length) * Lanes);
  }
  [[nodiscard]] WEFT_DEVICE_CODE line_run* sink_runs() const {
    return source_runs() + width_of(s_) * s_.source.along_pieces;
  }
  [[nodiscard]] WEFT_DEVICE_CODE int place_step() const { return row_ ? 1 : Lanes; }
  [[nodiscard]] WEFT_DEVICE_CODE value& work(int place, int lane) const {
    return work_[row_ ? spread(place) + lane * spread_length(Plan::length) : spread(place) * Lanes + lane];
  }
  /// Place number k of those that begin at `first` and are `Step` apart: from the first one's address where all are
  /// spread alike.
  template <int Step, bool AtEighths>
  [[nodiscard]] WEFT_DEVICE_CODE value& work_of(value* first_place, int first, int k, int lane) const {
    if constexpr (Step % 8 == 0) return first_place[k * (Step + Step / 8) * place_step()];
    if constexpr (Step == 1 && AtEighths) return first_place[(k + k / 8) * place_step()];
    return work(first + k * Step, lane);
  }

  /// The inputs of the first stage, straight to registers. Loops for each case, so that no load waits for the one
  /// before to know which it is.
  template <class RunAt>
  WEFT_DEVICE_CODE void load_straight(const RunAt& run_at, int number, int t, value* v) const {
    const line_run from = run_at(number);
    if (from.first == nullptr) {
      WEFT_UNROLL
      for (int i = 0; i < Plan::each(0) * Plan::radix(0); ++i) v[i] = {0, 0};
      return;
    }
    if (s_.kind == sweep_kind::real_to_complex) {
      line_run other = run_at(number + 1);
      if (other.first == nullptr) other = from;  // there is no such line, and its modes go nowhere
      each_input(t, [&](int i, int k) {
        v[i] = {Block::template load<Real>(from.first + k * from.stride),
                Block::template load<Real>(other.first + k * other.stride)};
      });
      return;
    }
    if (s_.load_reused != 0) {
      each_input(t, [&](int i, int k) { v[i] = Block::template load<value>(from.first + k * from.stride); });
    } else {
      each_input(t, [&](int i, int k) { v[i] = Block::template load_once<value>(from.first + k * from.stride); });
    }
    if (backward_) {
      WEFT_UNROLL
      for (int i = 0; i < Plan::each(0) * Plan::radix(0); ++i) v[i] = conjugate(v[i]);
    }
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

  template <int S>
  WEFT_DEVICE_CODE void stage() {
    constexpr int R = Plan::radix(S), before = Plan::before(S), count = Plan::length / R, each = Plan::each(S);
    constexpr bool last = S + 1 == Plan::stages, uneven = each * Plan::threads != count;
    const bool from_memory = S == 0 && loads_, to_memory = last && stores_;
    threads_.each([&](int id, thread& me) {
      const int t = number_of(id), lane = lane_of(id);
      if (!from_memory) {
        WEFT_UNROLL
        for (int b = 0; b < each; ++b) {
          const int j = t + Plan::threads * b;
          value* const first = &work(j, lane);
          WEFT_UNROLL
          for (int k = 0; k < R; ++k) {
            if (!uneven || j < count) me.v[b * R + k] = work_of<count, false>(first, j, k, lane);
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
      const line_run to = sink_runs()[lane];
      if (to.first == nullptr) return;
      const auto scale = static_cast<Real>(s_.scale), turned = backward_ ? -scale : scale;
      const int reused = s_.store_reused;
      WEFT_UNROLL
      for (int b = 0; b < each; ++b) {
        const int j = t + Plan::threads * b;
        WEFT_UNROLL
        for (int k = 0; k < R; ++k) {
          if (uneven && j >= count) continue;
          const value v = me.v[b * R + k];
          // After the last stage elements are in natural order.
          Block::store(to.first + (j + k * count) * to.stride, value{scale * v.x, turned * v.y}, reused);
        }
      }
    });
    if (to_memory) return;
    if (!from_memory) block_.barrier();
    threads_.each([&](int id, thread& me) {
      const int t = number_of(id), lane = lane_of(id);
      WEFT_UNROLL
      for (int b = 0; b < each; ++b) {
        const int j = t + Plan::threads * b;
        const int start = (j / before) * before * R + j % before;
        value* const first = &work(start, lane);
        WEFT_UNROLL
        for (int k = 0; k < R; ++k) {
          if (!uneven || j < count) work_of<before, R % 8 == 0>(first, start, k, lane) = me.v[b * R + k];
        }
      }
    });
    block_.barrier();
    if constexpr (!last) stage<S + 1>();
  }

  WEFT_DEVICE_CODE void load() {
    threads_.each([&](int id, thread& /*me*/) {
      const int lane = lane_of(id);
      const lane_reach from = reach_of(s_, s_.source, source_runs(), lane);
      load_line<Block, Real>(s_, from, Plan::length, number_of(id), Plan::threads,
                             [&](int k, value v) { work(k, lane) = v; });
    });
    block_.barrier();
  }

  WEFT_DEVICE_CODE void store() {
    threads_.each([&](int id, thread& /*me*/) {
      const int lane = lane_of(id);
      const lane_reach to = reach_of(s_, s_.sink, sink_runs(), lane);
      store_line<Block, Real>(s_, to, Plan::length, number_of(id), Plan::threads, [&](int k) { return work(k, lane); });
    });
  }

  Block& block_;
  const sweep& s_;
  value* work_;
  const value* table_;
  bool row_, loads_, stores_, backward_;
  typename Block::template per_thread<thread> threads_;
};

/// Lines of any length, in a work area of two buffers, by a loop over the stages; convolved where the length has
/// factors that no butterfly has (Bluestein).
template <class Block, class Real>
class looped_lines {
 public:
  using value = complex<Real>;

  WEFT_DEVICE_CODE looped_lines(Block& block, const sweep& s, std::byte* work) : block_(block), s_(s), threads_(block) {
    here_ = reinterpret_cast<value*>(work);
    there_ = here_ + s.work_length * static_cast<std::int64_t>(s.lanes);
    runs_ = reinterpret_cast<line_run*>(there_ + s.work_length * static_cast<std::int64_t>(s.lanes));
    sink_runs_ = runs_ + width_of(s) * s.source.along_pieces;
  }

  WEFT_DEVICE_CODE void run(std::int64_t line, std::int64_t end) {
    threads_.each([&](int id, nothing& /*none*/) {
      fill_runs(s_, s_.source, runs_, line, end, width_of(s_), id, block_.threads());
      fill_runs(s_, s_.sink, sink_runs_, line, end, width_of(s_), id, block_.threads());
    });
    block_.barrier();
    load();
    for (int round = 0; round < (s_.chirp != nullptr ? 2 : 1); ++round) {
      if (round == 1) filter();
      all_stages();
    }
    store();
  }

 private:
  struct nothing {};

  /// Calls visit(lane, number) for each of `count` things of each lane, by all threads.
  template <class Visit>
  WEFT_DEVICE_CODE void each_of(int count, const Visit& visit) {
    threads_.each([&](int id, nothing& /*none*/) {
      for (int i = id; i < count * s_.lanes; i += block_.threads()) {
        if (s_.row != 0) {
          visit(i / count, i % count);
        } else {
          visit(i % s_.lanes, i / s_.lanes);
        }
      }
    });
  }
  [[nodiscard]] WEFT_DEVICE_CODE value& place(value* buffer, int lane, int k) const {
    return buffer[s_.row != 0 ? lane * s_.work_length + k : k * s_.lanes + lane];
  }

  WEFT_DEVICE_CODE void all_stages() {
    int before = 1;
    const auto* table = static_cast<const value*>(s_.twiddles);
    for (int n = 0; n < s_.stages; ++n) {
      with_radix(s_.radix[n], [&]<int R>() { this->template stage<R>(before, table); });
      block_.barrier();
      if (before > 1) table += before * (s_.radix[n] - 1);
      before *= s_.radix[n];
      value* const other = here_;
      here_ = there_;
      there_ = other;
    }
  }

  template <int R>
  WEFT_DEVICE_CODE void stage(int before, const value* table) {
    const int count = s_.work_length / R;
    each_of(count, [&](int lane, int j) {
      value v[R];
      WEFT_UNROLL
      for (int k = 0; k < R; ++k) v[k] = place(here_, lane, j + k * count);
      const int inner = j % before;
      if (before > 1) twiddle<R, Block>(v, table, inner, before);
      butterfly<R>::run(v);
      const int start = (j - inner) * R + inner;
      WEFT_UNROLL
      for (int k = 0; k < R; ++k) place(there_, lane, start + k * before) = v[k];
    });
  }

  /// Threads that share a lane, and the number of this one among them.
  struct share {
    int lane, number, threads;
  };
  [[nodiscard]] WEFT_DEVICE_CODE share share_of(int id) const {
    const int threads = block_.threads() / s_.lanes;
    if (s_.row != 0) return {id / threads, id % threads, threads};
    return {id % s_.lanes, id / s_.lanes, threads};
  }

  WEFT_DEVICE_CODE void load() {
    const auto* const chirp = static_cast<const value*>(s_.chirp);
    threads_.each([&](int id, nothing& /*none*/) {
      const share mine = share_of(id);
      const lane_reach from = reach_of(s_, s_.source, runs_, mine.lane);
      load_line<Block, Real>(s_, from, s_.length, mine.number, mine.threads,
                             [&](int k, value v) { place(here_, mine.lane, k) = chirp != nullptr ? v * chirp[k] : v; });
      for (int k = s_.length + mine.number; k < s_.work_length; k += mine.threads) place(here_, mine.lane, k) = {0, 0};
    });
    block_.barrier();
  }

  /// Backward by a forward transform, of the conjugate; the filter has the factor.
  WEFT_DEVICE_CODE void filter() {
    each_of(s_.work_length, [&](int lane, int k) {
      value& v = place(here_, lane, k);
      v = conjugate(v * static_cast<const value*>(s_.filter)[k]);
    });
    block_.barrier();
  }

  WEFT_DEVICE_CODE void store() {
    const auto* const chirp = static_cast<const value*>(s_.chirp);
    threads_.each([&](int id, nothing& /*none*/) {
      const share mine = share_of(id);
      const lane_reach to = reach_of(s_, s_.sink, sink_runs_, mine.lane);
      store_line<Block, Real>(s_, to, s_.length, mine.number, mine.threads, [&](int k) {
        const value v = place(here_, mine.lane, k);
        return chirp != nullptr ? conjugate(v) * chirp[k] : v;
      });
    });
    block_.barrier();  // before the next group comes
  }

  Block& block_;
  const sweep& s_;
  value *here_, *there_;
  line_run *runs_, *sink_runs_;
  typename Block::template per_thread<nothing> threads_;
};

/// Lines that are not transformed: elements of 4, 8 or 16 bytes, which may be scaled and, if complex, turned; or
/// neither.
template <class Block, class Real>
class copied_lines {
 public:
  WEFT_DEVICE_CODE copied_lines(Block& block, const sweep& s, std::byte* work) : block_(block), s_(s), threads_(block) {
    runs_ = reinterpret_cast<line_run*>(work);
    sink_runs_ = runs_ + s.lanes * s.source.along_pieces;
  }

  WEFT_DEVICE_CODE void run(std::int64_t line, std::int64_t end) {
    threads_.each([&](int id, nothing& /*none*/) {
      fill_runs(s_, s_.source, runs_, line, end, s_.lanes, id, block_.threads());
      fill_runs(s_, s_.sink, sink_runs_, line, end, s_.lanes, id, block_.threads());
    });
    block_.barrier();
    threads_.each([&](int id, nothing& /*none*/) {
      const std::int64_t all = static_cast<std::int64_t>(s_.length) * s_.lanes;
      for (std::int64_t i = id; i < all; i += block_.threads()) {
        const auto lane = static_cast<int>(s_.row != 0 ? i / s_.length : i % s_.lanes);
        const std::int64_t k = s_.row != 0 ? i % s_.length : i / s_.lanes;
        const auto from = reach_of(s_, s_.source, runs_, lane).a, to = reach_of(s_, s_.sink, sink_runs_, lane).a;
        if (s_.source_plain != 0) {
          if (s_.complex != 0) {
            move<complex<Real>>(from, to, k);
          } else {
            move<Real>(from, to, k);
          }
        } else if (s_.complex != 0) {
          put_complex<Block, Real>(s_, to, k, get_complex<Block, Real>(s_, from, k));
        } else {
          put_real<Block, Real>(s_, to, k, get_real<Block, Real>(from, k));
        }
      }
    });
    block_.barrier();
  }

 private:
  struct nothing {};
  /// What a source that is plain means here: bit by bit, as arithmetic would change what is no number.
  template <class T>
  WEFT_DEVICE_CODE void move(const line_reach& from, const line_reach& to, std::int64_t k) const {
    std::byte* const there = to.at(k);
    if (there == nullptr) return;
    const std::byte* const here = from.at(k);
    Block::store(there, here == nullptr ? T{} : Block::template load<T>(here), s_.store_reused);
  }

  Block& block_;
  const sweep& s_;
  line_run *runs_, *sink_runs_;
  typename Block::template per_thread<nothing> threads_;
};

}  // namespace weft::device
