// SPDX-License-Identifier: BSD-3-Clause
// Ranks of a node that reach into each other's images, of shared_image.hpp.
#pragma once

#include <atomic>
#include <vector>

#include "exchange/engines/mail.hpp"
#include "mpi/call.hpp"
#include "mpi/meeting.hpp"

namespace weft::exchange {

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
      meetings_.emplace_back(g_on.on, g_on.who.members, with.tag, patience_, g_on.sheet);
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
  /// Of shared_groups().
  enum group : std::size_t { storing, moving, loading };
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

}  // namespace weft::exchange
