// SPDX-License-Identifier: BSD-3-Clause
// What a schedule costs on a machine, from the real index sets.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "exchange/engine.hpp"
#include "exchange/traffic.hpp"
#include "planner/machine.hpp"
#include "schedule/schedule.hpp"

namespace weft::planner {

/// Parts differ little from rank to rank, so a spread-out few of many ranks stand for all.
inline constexpr int most_sampled = 16;
template <class Visit>
void each_sampled(int ranks, Visit visit) {
  const int sampled = std::min(ranks, most_sampled);
  for (int i = 0; i < sampled; ++i) visit(static_cast<int>(static_cast<integer>(i) * ranks / sampled));
}

/// What one rank sends and receives in an exchange, and how many runs of adjacent elements its array falls into.
struct load {
  exchange::traffic sent, received;
  double runs = 0;
};

/// An exchange as some ranks, which stand for all, take part in it.
struct exchange_cost {
  std::vector<load> loads;
  double producer_seconds = 0;  ///< computing in the stage before, during which messages may leave
  double consumer_seconds = 0;  ///< and in the stage behind it, while messages may still arrive
  int copies = 0;               ///< passes beside it that only copy, which some engines need
  double copy_seconds = 0;      ///< that these take
};

[[nodiscard]] exchange_cost loads_of(const distribution& from, const distribution& to, int ranks, const machine& on);

/// What does not depend on the engines.
struct cost {
  double compute_seconds = 0;  ///< passes over memory and flops, but for copies that exchanges may need
  int passes = 0;              ///< over a rank's array, with these copies
  std::vector<exchange_cost> exchanges;
  bool drops_after_exchange = false;  ///< see schedule.hpp
};

/// Prices schedules for some ranks of a machine, which must outlive it. Counts an exchange once, however many
/// schedules have it.
class pricer {
 public:
  pricer(int ranks, precision element, const machine& on) : ranks_(ranks), element_(element), on_(on) {}

  /// One transform: the slowest rank of each stage, stage by stage.
  [[nodiscard]] cost cost_of(const schedule& s);

 private:
  class sum;
  struct step {
    distribution from, to;
    friend bool operator==(const step&, const step&) = default;
  };
  struct step_hash {
    std::size_t operator()(const step& s) const;
  };

  const exchange_cost& exchange_between(const distribution& from, const distribution& to);
  double most_elements(const distribution& before, const distribution& after);

  int ranks_;
  precision element_;
  const machine& on_;
  std::unordered_map<step, exchange_cost, step_hash> exchanges_;
  std::unordered_map<step, double, step_hash> elements_;
};

/// What exchanges move: elements of a precision, and of half the bytes in messages whose rounding is tolerated.
struct cargo {
  precision element = precision::f64;
  double tolerance = 0;  ///< options::message_tolerance

  /// Of a complex element, in a schedule of that cost.
  [[nodiscard]] std::size_t bytes(const exchange::engine& by, const cost& of) const;
};

/// An exchange by one engine.
struct exchange_price {
  double seconds = 0;             ///< of the rank that takes longest
  exchange::traffic sent;         ///< of the rank that sends most
  std::size_t element_bytes = 0;  ///< as it travels
};
[[nodiscard]] exchange_price price_of(const exchange_cost& moved, const exchange::engine& by, int ranks,
                                      std::size_t element_bytes, const machine& on);
/// Whether the copies beside an exchange are made: arrays that ranks share are where data comes from and goes to, and
/// some engines move any from and to its place.
[[nodiscard]] bool needs_copies(const exchange::engine& by, int ranks, const machine& on);

}  // namespace weft::planner
