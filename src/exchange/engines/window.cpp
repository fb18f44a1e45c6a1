// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>

#include "exchange/engines/all.hpp"
#include "exchange/engines/mail.hpp"
#include "exchange/shared_image.hpp"
#include "mpi/call.hpp"
#include "mpi/meeting.hpp"
#include "weft/error.hpp"

namespace weft::exchange {

namespace {

/// The groups of ranks that could meet in an element of the array.
enum group : std::size_t { storing, moving, loading };

/// Barriers among ranks of the node order the accesses to the images: one before producers store into their peers',
/// one when all have stored, one when all have loaded from their peers'.
class window_channel final : public channel {
 public:
  window_channel(const exchange_problem& problem, const geometry& g, const company& with)
      : patience_(problem.patience),
        loads_away_(g.arrives_later),
        overlapping_(with.overlapping),
        sends_(mail::way::out, g.sends, problem, with),
        receives_(mail::way::in, g.receives, problem, with) {
    for (const auto& g_on : with.groups) {
      groups_.push_back(g_on.on);
      meetings_.emplace_back(g_on.on, g_on.who.members, with.tag, patience_);
    }
  }

  void prepare(const image& /*from*/, const image& /*to*/) override { barrier(storing); }
  void start(const image& from, const image& /*to*/) override {
    receives_.restart(from.mine);
    sends_.restart(from.mine);
    receives_.begin_all();
    sends_.begin_all();
    barrier(moving);
  }
  void release() override { sends_.wait_for_all(); }
  void finish() override {
    receives_.wait_for_all();
    sends_.wait_for_all();
    if (loads_away_) barrier(loading);
  }
  [[nodiscard]] bool arrived() override {
    const bool met = met_.done();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return met && receives_.done();
  }
  [[nodiscard]] bool left() override { return sends_.done() && receives_.done(); }
  void settle() override {
    if (!mpi::wait_for(std::span(&met_.request(), 1), patience_)) mpi::give_up("another rank", patience_);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  void need(int message) override { receives_.wait_for_message(message); }
  int next() override { return receives_.next(); }

 private:
  /// Stores before it, streaming ones included, are visible to the others after it.
  void barrier(group among) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (overlapping_) {
      mpi::check(MPI_Ibarrier(groups_[among].get(), &met_.request()), "MPI_Ibarrier");
    } else {
      meetings_[among].hold();
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

  double patience_;
  std::vector<mpi::communicator> groups_;
  std::vector<mpi::meeting> meetings_;
  bool loads_away_, overlapping_;
  mpi::pending_call met_;
  mail sends_, receives_;
};

geometry describe(const exchange_problem& problem, int way, std::span<const integer> /*agreed*/) {
  return shared_geometry(problem, way);
}

/// Messages to other nodes would leave from a device's memory.
std::vector<int> one_node_ways(const exchange_problem& problem) {
  if (!problem.nodes->single()) {
    throw applicability_error("exchange engine 'ipc' needs all ranks on one node; use 'staged'");
  }
  return shared_ways(problem);
}

std::vector<rank_group> groups_of(const exchange_problem& problem, const geometry& g) {
  const bool stores_away = g.before == preparation::meeting, loads_away = g.arrives_later;
  return {neighbours_of(problem, problem.from, stores_away ? g.home : problem.to),
          neighbours_of(problem, problem.from, problem.to),
          neighbours_of(problem, loads_away ? g.home : problem.from, problem.to)};
}

}  // namespace

constexpr engine window_engine{.name = "window",
                               .shares = true,
                               .facts = nullptr,
                               .ways = shared_ways,
                               .describe = describe,
                               .groups = groups_of,
                               .open = open_as<window_channel>};

/// Whoever runs a program waits for its device before each step of a channel: what is left is the same.
constexpr engine ipc_engine{.name = "ipc",
                            .shares = true,
                            .on_device = true,
                            .one_node = true,
                            .facts = nullptr,
                            .ways = one_node_ways,
                            .describe = describe,
                            .groups = groups_of,
                            .open = open_as<window_channel>};

}  // namespace weft::exchange
