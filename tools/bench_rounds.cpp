// SPDX-License-Identifier: BSD-3-Clause
#include "bench_rounds.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace weft::tool {

namespace {

// Below this the kernel's clock ticks are too coarse to tell a share; shorter rounds are watched together.
constexpr double shortest_watch = 0.2;

/// What is fast right after the same transform is in the caches: inputs, outputs, and what a plan has of its own.
constexpr int hot_repeats = 2;

struct round_record {
  std::vector<double> seconds, hot;  // by contender
  noise seen;

  [[nodiscard]] double taken() const { return seen.foreign + seen.steal; }
  [[nodiscard]] bool is_dirty() const { return taken() > dirty_share; }
};

/// Barrier, time, maximum over ranks. A contender of the root's alone is timed there, while the others sleep.
double time_of(contender& one, const ranks& on) {
  on.barrier();
  const bool takes_part = on.is_root() || !one.label().on_root_only;
  const double mine = takes_part ? seconds_of([&] { one.forward(); }) : 0;
  if (one.label().on_root_only) quiet_barrier(on);
  return on.max(mine);
}

/// The order of contenders in each round, the same on all ranks. A contender has to wait for what the one before it
/// left in caches and write buffers, so that none should always have the same one before it.
class turns {
 public:
  explicit turns(std::size_t contenders) : order_(contenders) { std::iota(order_.begin(), order_.end(), 0); }
  const std::vector<std::size_t>& next() {
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[numbers_() % i]);
    return order_;
  }

 private:
  std::vector<std::size_t> order_;
  std::minstd_rand numbers_;
};

round_record play_round(const std::vector<std::unique_ptr<contender>>& all, turns& order, const ranks& on) {
  round_record record;
  record.seconds.resize(all.size());
  record.hot.resize(all.size(), std::numeric_limits<double>::max());
  for (const std::size_t c : order.next()) {
    all[c]->prepare();
    record.seconds[c] = time_of(*all[c], on);
    // Those in place transform what they left: numbers grow, but not far.
    for (int i = 0; i < hot_repeats; ++i) record.hot[c] = std::min(record.hot[c], time_of(*all[c], on));
  }
  return record;
}

/// At most `most` rounds, long enough for their noise to be seen.
std::vector<round_record> watched_rounds(const std::vector<std::unique_ptr<contender>>& all, turns& order, int most,
                                         const ranks& on) {
  std::vector<round_record> records;
  const noise_watch watch(on);
  const auto start = std::chrono::steady_clock::now();
  double elapsed = 0;
  while (static_cast<int>(records.size()) < most && elapsed < shortest_watch) {
    records.push_back(play_round(all, order, on));
    // the maximum, so that all ranks agree on whether to go on
    elapsed = on.max(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  const noise seen = watch.stop();
  for (round_record& r : records) r.seen = seen;
  return records;
}

}  // namespace

played_rounds play_rounds(const std::vector<std::unique_ptr<contender>>& all, int wanted, const ranks& on,
                          const std::function<void(int, int)>& tell) {
  std::vector<round_record> records;
  turns order(all.size());
  int clean = 0;
  while (clean < wanted && static_cast<int>(records.size()) < 2 * wanted) {
    const int played = static_cast<int>(records.size());
    tell(played, played - clean);
    for (round_record& r : watched_rounds(all, order, std::min(wanted - clean, 2 * wanted - played), on)) {
      clean += r.is_dirty() ? 0 : 1;
      records.push_back(std::move(r));
    }
  }
  played_rounds result;
  result.played = static_cast<int>(records.size());
  std::stable_sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.taken() < b.taken(); });
  records.resize(static_cast<std::size_t>(wanted));
  result.seconds.resize(all.size());
  result.hot.resize(all.size());
  for (const round_record& r : records) {
    for (std::size_t c = 0; c < all.size(); ++c) {
      result.seconds[c].push_back(r.seconds[c]);
      result.hot[c].push_back(r.hot[c]);
    }
    result.dirty += r.is_dirty() ? 1 : 0;
  }
  result.seen = records.back().seen;
  return result;
}

double parseval_error(contender& one, double transform_length, const ranks& on) {
  one.prepare();
  const double expected = transform_length * on.sum(one.input_squares());
  on.barrier();
  if (on.is_root() || !one.label().on_root_only) one.forward();
  if (one.label().on_root_only) quiet_barrier(on);
  const double got = on.sum(one.output_squares());
  if (!std::isfinite(got)) return std::numeric_limits<double>::max();  // JSON has no infinity
  return std::abs(got - expected) / expected;
}

}  // namespace weft::tool
