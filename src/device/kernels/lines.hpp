// SPDX-License-Identifier: BSD-3-Clause
// The kernels' code, for any block of threads: one of a device, or one that the host plays.
//
// A block has threads() and barrier(), and `per_thread<State>`, whose each() calls a function for each
// thread with its number and its state. On a device every thread calls it once for itself, and states are registers; on
// the host one thread after the other is played. So whatever threads do between two barriers stands in one each().
#pragma once

#include "device/kernels/butterflies.hpp"
#include "device/kernels/reach.hpp"

namespace weft::device {

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
    sink_runs_ = runs_ + static_cast<std::int64_t>(width_of(s)) * s.source.along_pieces;
  }

  WEFT_DEVICE_CODE void run(std::int64_t line, std::int64_t end) {
    threads_.each([&](int id, nothing& /*none*/) {
      fill_runs(s_, s_.source, runs_, line, end, width_of(s_), id, block_.threads());
      fill_runs(s_, s_.sink, sink_runs_, line, end, width_of(s_), id, block_.threads());
    });
    block_.barrier();
    load(line);
    for (int round = 0; round < (s_.chirp != nullptr ? 2 : 1); ++round) {
      if (round == 1) filter();
      all_stages();
    }
    store(line);
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

  WEFT_DEVICE_CODE void load(std::int64_t line) {
    const auto* const chirp = static_cast<const value*>(s_.chirp);
    threads_.each([&](int id, nothing& /*none*/) {
      const share mine = share_of(id);
      const lane_reach from = reach_of(s_, s_.source, runs_, mine.lane, line);
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

  WEFT_DEVICE_CODE void store(std::int64_t line) {
    const auto* const chirp = static_cast<const value*>(s_.chirp);
    threads_.each([&](int id, nothing& /*none*/) {
      const share mine = share_of(id);
      const lane_reach to = reach_of(s_, s_.sink, sink_runs_, mine.lane, line);
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
    sink_runs_ = runs_ + static_cast<std::int64_t>(s.lanes) * s.source.along_pieces;
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
        const auto from = reach_of(s_, s_.source, runs_, lane, line).a,
                   to = reach_of(s_, s_.sink, sink_runs_, lane, line).a;
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
