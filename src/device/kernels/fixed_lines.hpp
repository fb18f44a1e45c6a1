// SPDX-License-Identifier: BSD-3-Clause
// Lines of lengths that are known when kernels are compiled, wherever their elements are.
#pragma once

#include "device/kernels/fixed_stages.hpp"

namespace weft::device {

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
        loads_(s.source_plain != 0 && s.kind != sweep_kind::complex_to_real && s.digit.low_roots == nullptr),
        stores_(s.sink_plain != 0 && s.kind == sweep_kind::complex_to_complex),
        modes_(s.sink_plain != 0 && s.kind == sweep_kind::real_to_complex),
        backward_(s.backward != 0),
        threads_(block) {}

  /// The group that begins at `line`; there are no lines from `end` on.
  WEFT_DEVICE_CODE void run(std::int64_t line, std::int64_t end) {
    threads_.each([&](int id, thread& /*me*/) {
      fill_runs(s_, s_.source, source_runs(), line, end, width_of(s_), id, block_.threads());
      fill_runs(s_, s_.sink, sink_runs(), line, end, width_of(s_), id, block_.threads());
    });
    block_.barrier();
    if (!loads_) load(line);
    if (row_) {
      transform<true>();
    } else {
      transform<false>();
    }
    if (!stores_ && !modes_) store(line);
  }

 private:
  struct thread {
    value v[Plan::registers()];
  };

  using layout = work_layout<Real, Plan, Lanes>;
  template <bool Row>
  using stages = fixed_stages<Block, Real, Plan, Lanes, Row>;

  [[nodiscard]] WEFT_DEVICE_CODE int lane_of(int id) const {
    return row_ ? stages<true>::lane_of(id) : stages<false>::lane_of(id);
  }
  [[nodiscard]] WEFT_DEVICE_CODE int number_of(int id) const {
    return row_ ? stages<true>::number_of(id) : stages<false>::number_of(id);
  }
  [[nodiscard]] WEFT_DEVICE_CODE value& work(int k, int lane) const {
    return work_[row_ ? stages<true>::place(k, lane) : stages<false>::place(k, lane)];
  }
  [[nodiscard]] WEFT_DEVICE_CODE line_run* source_runs() const {
    return reinterpret_cast<line_run*>(work_ + layout::places);
  }
  [[nodiscard]] WEFT_DEVICE_CODE line_run* sink_runs() const {
    return source_runs() + width_of(s_) * s_.source.along_pieces;
  }

  template <bool Row>
  WEFT_DEVICE_CODE void transform() {
    if (loads_) {
      threads_.each(
          [&](int id, thread& me) { load_straight<Row>(stages<Row>::lane_of(id), stages<Row>::number_of(id), me.v); });
    }
    stage<Row, 0>();
    if (modes_) store_modes<Row>();
  }

  /// The inputs of the first stage, straight to registers. Loops for each case, so that no load waits for the one
  /// before to know which it is.
  template <bool Row>
  WEFT_DEVICE_CODE void load_straight(int lane, int t, value* v) const {
    using own = stages<Row>;
    if (s_.source.along_pieces > 1) {
      const line_reach from = reach_of(s_, s_.source, source_runs(), lane, 0).a;
      own::template each<0>(t, [&](int i, int k) {
        const std::byte* const p = from.at(t + k);
        v[i] = p == nullptr ? value{0, 0} : Block::template load<value>(p);
      });
      return conjugate_inputs(v);
    }
    if (s_.kind == sweep_kind::real_to_complex) {  // of the two lines, one may be absent
      const line_run from = source_runs()[2 * lane], other = source_runs()[2 * lane + 1];
      const auto real = [](const line_run& r, int k) {
        return r.first == nullptr ? Real{0} : Block::template load<Real>(r.first + k * r.stride);
      };
      own::template each<0>(t, [&](int i, int k) { v[i] = {real(from, t + k), real(other, t + k)}; });
      return;
    }
    const line_run from = source_runs()[lane];
    if (from.first == nullptr) {
      WEFT_UNROLL
      for (int i = 0; i < Plan::each(0) * Plan::radix(0); ++i) v[i] = {0, 0};
      return;
    }
    const std::byte* const first = from.first + t * from.stride;
    if (s_.load_reused != 0) {
      own::template each<0>(t, [&](int i, int k) { v[i] = Block::template load<value>(first + k * from.stride); });
    } else {
      own::template each<0>(
          t, [&](int i, int k) { v[i] = Block::template load_once<value, Row>(first + k * from.stride); });
    }
    conjugate_inputs(v);
  }
  WEFT_DEVICE_CODE void conjugate_inputs(value* v) const {
    if (!backward_) return;
    WEFT_UNROLL
    for (int i = 0; i < Plan::each(0) * Plan::radix(0); ++i) v[i] = conjugate(v[i]);
  }
  template <bool Row, int S>
  WEFT_DEVICE_CODE void stage() {
    using own = stages<Row>;
    constexpr bool last = S + 1 == Plan::stages;
    const bool from_memory = S == 0 && loads_, to_memory = last && stores_;
    threads_.each([&](int id, thread& me) {
      const int t = own::number_of(id), lane = own::lane_of(id);
      if (!from_memory) own::template get<S>(me.v, work_, t, lane);
      own::template compute<S>(me.v, table_, t);
      if (!to_memory) return;
      const auto scale = static_cast<Real>(s_.scale), turned = backward_ ? -scale : scale;
      const int reused = s_.store_reused;
      const auto scaled = [&](int i) { return value{scale * me.v[i].x, turned * me.v[i].y}; };
      if (s_.sink.along_pieces > 1) {
        const line_reach to = reach_of(s_, s_.sink, sink_runs(), lane, 0).a;
        own::template each<S>(t, [&](int i, int k) {
          if (std::byte* const p = to.at(t + k); p != nullptr) Block::store(p, scaled(i), reused);
        });
      } else if (const line_run to = sink_runs()[lane]; to.first != nullptr) {
        std::byte* const first = to.first + t * to.stride;
        own::template each<S>(t, [&](int i, int k) { Block::store(first + k * to.stride, scaled(i), reused); });
      }
    });
    if (to_memory) return;
    if (!from_memory) own::barrier(block_);
    threads_.each([&](int id, thread& me) { own::template put<S>(me.v, work_, own::number_of(id), own::lane_of(id)); });
    own::barrier(block_);
    if constexpr (!last) stage<Row, S + 1>();
  }

  WEFT_DEVICE_CODE void load(std::int64_t line) {
    threads_.each([&](int id, thread& /*me*/) {
      const int lane = lane_of(id);
      const lane_reach from = reach_of(s_, s_.source, source_runs(), lane, line);
      load_line<Block, Real>(s_, from, Plan::length, number_of(id), Plan::threads,
                             [&](int k, value v) { work(k, lane) = v; });
    });
    block_.barrier();
  }

  WEFT_DEVICE_CODE void store(std::int64_t line) {
    threads_.each([&](int id, thread& /*me*/) {
      const int lane = lane_of(id);
      const lane_reach to = reach_of(s_, s_.sink, sink_runs(), lane, line);
      store_line<Block, Real>(s_, to, Plan::length, number_of(id), Plan::threads, [&](int k) { return work(k, lane); });
    });
  }

  /// The modes of two real lines, where nothing else is done to them.
  template <bool Row>
  WEFT_DEVICE_CODE void store_modes() {
    using own = stages<Row>;
    threads_.each([&](int id, thread& /*me*/) {
      const int lane = own::lane_of(id), reused = s_.store_reused;
      const line_run a = sink_runs()[2 * lane], b = sink_runs()[2 * lane + 1];
      own::each_mode(work_, static_cast<Real>(s_.scale), own::number_of(id), lane, [&](int k, value of_a, value of_b) {
        if (a.first != nullptr) Block::store(a.first + k * a.stride, of_a, reused);
        if (b.first != nullptr) Block::store(b.first + k * b.stride, of_b, reused);
      });
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
