// SPDX-License-Identifier: BSD-3-Clause
// All ranks of a problem in one process, through loopback exchanges.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

#include "bound.hpp"
#include "checker.hpp"
#include "exchange/engines/loopback.hpp"
#include "planner/resolve.hpp"
#include "run/settlement.hpp"

namespace weft::testing {

using engine_list = std::vector<const exchange::engine*>;

/// The same engine for all exchanges of a schedule.
inline engine_list only(const exchange::engine& moves, const schedule& made) {
  return {at(exchanges_of(made)), &moves};
}

/// All ranks of a problem in one process.
class team final : public subject {
 public:
  /// Large arrays may be stored past the caches: `cached_bytes` says from where on, if not as the draw has it.
  team(const drawn& t, const schedule& made, const engine_list& moves, std::optional<integer> cached_bytes = {})
      : t_(t),
        input_(planner::without_batch(made.input, planner::stacking_of(t.what))),
        output_(planner::without_batch(output_of(made), planner::stacking_of(t.what))),
        hub_(t.ranks) {
    const auto attempt = [&](integer limit) { return bind(made, moves, cached_bytes, limit); };
    programs_ = is_tight(t) ? bound_tightly(attempt) : attempt(0);
  }

  [[nodiscard]] std::vector<int> ranks() const override {
    std::vector<int> all(at(t_.ranks));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  [[nodiscard]] const distribution& input() const override { return input_; }
  [[nodiscard]] const distribution& output() const override { return output_; }
  [[nodiscard]] layout_pair layouts(int rank) const override {
    return random_layouts(t_, rank, batched(input_.local_shape(rank), t_.what.batch),
                          batched(output_.local_shape(rank), t_.what.batch));
  }
  [[nodiscard]] double sum(double mine) const override { return mine; }

  /// In lockstep from exchange to exchange; between two of them the ranks are free of each other.
  void run(direction way, const std::vector<const std::byte*>& from, const std::vector<std::byte*>& to) override {
    std::vector<run::execution*> programs;
    for (const auto& p : programs_) programs.push_back((way == direction::forward ? p.forward : p.backward).get());
    std::vector<std::size_t> next(programs.size(), 0);
    const auto kind_at = [&](std::size_t r) { return programs[r]->what().steps[next[r]].what; };
    const auto more = [&](std::size_t r) { return next[r] < programs[r]->what().steps.size(); };
    /// Runs rank r through its next step of this kind; false if there is none.
    const auto advance = [&](std::size_t r, run::step::kind until) {
      while (more(r)) {
        const auto done = kind_at(r);
        // Programs take the input as memory to write, for those that may destroy it.
        programs[r]->run_step(next[r]++, {const_cast<std::byte*>(from[r]), {}}, {to[r], {}});
        if (done == until) return true;
      }
      return false;
    };
    for (;;) {
      std::size_t started = 0;
      for (std::size_t r = 0; r < programs.size(); ++r) started += advance(r, run::step::kind::start) ? 1 : 0;
      if (started == 0) return;
      ASSERT_EQ(started, programs.size()) << "ranks have different numbers of exchanges";
      // If one rank may write over what it sent, all must have taken theirs: nobody else tells loopback.
      bool release = false;
      for (std::size_t r = 0; r < programs.size(); ++r) release = release || kind_at(r) == run::step::kind::release;
      for (std::size_t r = 0; release && r < programs.size(); ++r) {
        programs[r]->channel(programs[r]->what().steps[next[r] - 1].source.exchange).release();
      }
      for (std::size_t r = 0; r < programs.size(); ++r) ASSERT_TRUE(advance(r, run::step::kind::finish));
    }
  }

  /// Whether a rank loads or stores an image in blocks.
  [[nodiscard]] bool has_blocks() const {
    return std::ranges::any_of(programs_, [](const bound& p) {
      return std::ranges::any_of(p.forward->what().exchanges,
                                 [](const auto& e) { return e->how.sink.in_blocks() || e->how.source.in_blocks(); });
    });
  }

 private:
  /// All ranks settle together, forward and then backward in the same memory.
  [[nodiscard]] std::vector<bound> bind(const schedule& made, const engine_list& moves,
                                        std::optional<integer> cached_bytes, integer limit) {
    std::vector<binding_pair> how;
    std::vector<bound> all(at(t_.ranks));
    std::vector<run::memory_needs> sizes(all.size());
    for (int r = 0; r < t_.ranks; ++r) {
      auto b = binding_of(t_, r, layouts(r));
      b.exchanges = moves;
      b.memory_limit = limit;
      if (cached_bytes) b.cached_bytes = *cached_bytes;
      how.emplace_back(t_, b);
      all[at(r)].memory = std::make_shared<run::workspace>();
    }
    const schedule back = inverse(made);
    std::vector<std::shared_ptr<const run::program>> programs;
    for (const bool forward : {true, false}) {
      std::vector<std::unique_ptr<run::settlement>> terms;
      for (std::size_t r = 0; r < all.size(); ++r) {
        terms.push_back(std::make_unique<run::settlement>(forward ? made : back,
                                                          forward ? how[r].forward : how[r].backward, sizes[r]));
      }
      run::settle(terms);
      for (std::size_t r = 0; r < all.size(); ++r) {
        programs.push_back(std::make_shared<const run::program>(terms[r]->result()));
        sizes[r] = sizes[r].with(programs.back()->needs);
      }
    }
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const std::size_t r = i % all.size();
      all[r].memory->require(programs[i]->needs);
      std::vector<exchange::company> with(programs[i]->exchanges.size());
      for (auto& c : with) c.hub = &hub_;
      auto& opened = i < all.size() ? all[r].forward : all[r].backward;
      opened = std::make_unique<run::execution>(programs[i], all[r].memory, with);
    }
    for (const auto& b : all) expect_within(*b.memory, limit);
    return all;
  }

  const drawn& t_;
  distribution input_, output_;
  exchange::loopback_hub hub_;
  std::vector<bound> programs_;  // by rank
};

}  // namespace weft::testing
