// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "exchange/engines/all.hpp"
#include "exchange/engines/window_channel.hpp"
#include "exchange/node_image.hpp"
#include "exchange/parts.hpp"
#include "exchange/shared_image.hpp"

namespace weft::exchange {

namespace {

/// Ranks of a node meet four times: before they store into each other's images, when all have stored, when everything
/// from other nodes is there, and when all have loaded. Bundles leave after the second meeting, or earlier: part by
/// part, as those who store tell those who send.
class nodewise_channel final : public channel {
 public:
  nodewise_channel(const exchange_problem& problem, const geometry& g, const company& with)
      : overlapping_(with.overlapping),
        patience_(problem.patience),
        node_(with.groups[0].on),
        meeting_(node_, with.groups[0].who.members, with.tag, patience_, with.groups[0].sheet),
        sends_(mail::way::out, g.sends, problem, with),
        receives_(mail::way::in, g.receives, problem, with),
        tells_(mail::way::out, to_others(g.tells, problem.rank), problem, with),
        hears_(mail::way::in, g.hears, problem, with) {
    for (const auto& p : g.tells) {
      if (p.peer == problem.rank) own_.push_back({p.message, p.when});
    }
    for (const auto& p : g.sends) last_part_ = std::max(last_part_, p.when);
    loads_far_ = g.source.has_messages();
  }

  void prepare(const image& from, const image& /*to*/) override {
    post(from.mine);
    meet(stage::storing);
  }
  void stored(integer end) override {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    tells_.begin_up_to(end);
    send_what_is_complete(end);
  }
  void start(const image& from, const image& /*to*/) override {
    if (!posted_) post(from.mine);
    posted_ = false;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    tells_.begin_all();
    asked_ = false;
    meet(stage::gathering);
    if (!overlapping_) go_on();
  }
  void need(int /*message*/) override { wait_for_far(); }
  /// What comes from other nodes comes at once.
  int next() override {
    if (!loads_far_ || asked_) return -1;
    asked_ = true;
    wait_for_far();
    return 0;
  }
  void release() override { sends_.wait_for_all(); }
  void finish() override {
    wait_for_far();
    sends_.wait_for_all();
    tells_.wait_for_all();
    hears_.wait_for_all();
    meet(stage::loading);
  }
  [[nodiscard]] bool arrived() override {
    while (has_come()) {
      if (at_ == stage::storing || at_ == stage::arrived || at_ == stage::loading) return true;
      go_on();
    }
    return false;
  }
  [[nodiscard]] bool left() override { return arrived() && sends_.done() && tells_.done() && hears_.done(); }
  void settle() override {
    if (at_ == stage::storing || at_ == stage::loading) {
      wait_for_meeting();
    } else {
      wait_for_far();
    }
  }

 private:
  /// What is waited for: a meeting before, the messages, or a meeting after them. One comes after the other.
  enum class stage : char { storing, gathering, travelling, arriving, arrived, loading };

  static std::vector<parcel> to_others(std::vector<parcel> words, int rank) {
    std::erase_if(words, [&](const parcel& p) { return p.peer == rank; });
    for (auto& p : words) p.message = -1;
    return words;
  }

  void post(std::byte* mine) {
    for (auto* m : {&sends_, &receives_, &tells_, &hears_}) m->restart(mine);
    receives_.begin_all();
    hears_.begin_all();
    complete_ = 0;
    posted_ = true;
  }

  /// Parts, in order, that this rank and all that tell it have stored. The last one leaves with the second meeting.
  void send_what_is_complete(integer end) {
    const auto here = [&](integer part) {
      return std::ranges::all_of(own_, [&](const word& w) { return w.part != part || w.when <= end; });
    };
    for (; complete_ < last_part_ && here(complete_) && hears_.done_at(complete_); ++complete_) {
      std::atomic_thread_fence(std::memory_order_seq_cst);
      sends_.begin_up_to(complete_);
    }
  }

  /// Stores before it, streaming ones included, are visible to the others after it.
  void meet(stage next) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    at_ = next;
    if (overlapping_) {
      mpi::check(MPI_Ibarrier(node_.get(), &met_.request()), "MPI_Ibarrier");
    } else {
      meeting_.hold();
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  void wait_for_meeting() {
    if (!mpi::wait_for(std::span(&met_.request(), 1), patience_)) mpi::give_up("another rank", patience_);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

  /// Whether what this stage waits for has come.
  [[nodiscard]] bool has_come() {
    const bool yes = at_ == stage::travelling ? receives_.done() : met_.done();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return yes;
  }
  /// To the next stage, when it has.
  void go_on() {
    if (at_ == stage::gathering) {
      sends_.begin_all();
      at_ = stage::travelling;
    } else if (at_ == stage::travelling) {
      meet(stage::arriving);
    } else if (at_ == stage::arriving) {
      at_ = stage::arrived;
    }
  }
  void wait_for_far() {
    while (at_ == stage::gathering || at_ == stage::travelling || at_ == stage::arriving) {
      if (at_ == stage::travelling) {
        receives_.wait_for_all();
      } else {
        wait_for_meeting();
      }
      go_on();
    }
  }

  struct word {
    integer part, when;
  };

  bool overlapping_;
  double patience_;
  mpi::communicator node_;
  mpi::meeting meeting_;
  mpi::pending_call met_;
  mail sends_, receives_, tells_, hears_;
  std::vector<word> own_;  // what this rank stores of parts that it sends itself
  integer last_part_ = 0;  // that this rank sends
  integer complete_ = 0;   // parts that have left
  stage at_ = stage::storing;
  bool posted_ = false, asked_ = false, loads_far_ = false;
};

std::vector<integer> facts(const exchange_problem& problem) { return {far_elements(problem)}; }

/// Where nothing leaves a node it is `window`.
geometry describe(const exchange_problem& problem, int way, std::span<const integer> agreed) {
  if (agreed[0] == 0) return shared_geometry(problem, way);
  geometry result = node_geometry(problem);
  divide_between_nodes(result, problem);
  return result;
}

bool leaves_nodes(const geometry& g) { return g.before == preparation::posting; }

std::vector<rank_group> groups_of(const exchange_problem& problem, const geometry& g) {
  return leaves_nodes(g) ? std::vector{node_group(problem)} : shared_groups(problem, g);
}

std::unique_ptr<channel> open(const exchange_problem& problem, const geometry& g, const company& with) {
  if (leaves_nodes(g)) return std::make_unique<nodewise_channel>(problem, g, with);
  return std::make_unique<window_channel>(problem, g, with);
}

}  // namespace

constexpr engine nodewise_engine{.name = "nodewise",
                                 .shares = true,
                                 .gathers = true,
                                 .in_pieces = true,
                                 .facts = facts,
                                 .ways = shared_ways,
                                 .describe = describe,
                                 .groups = groups_of,
                                 .open = open};

}  // namespace weft::exchange
