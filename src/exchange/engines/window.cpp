#include <atomic>

#include "exchange/engines/all.hpp"
#include "exchange/engines/mail.hpp"
#include "exchange/shared_image.hpp"
#include "mpi/call.hpp"

namespace weft::exchange {

namespace {

/// The groups of ranks that could meet in an element of the array.
enum group : std::size_t { storing, moving, loading };

/// Barriers among ranks of the node order the accesses to the images: one before producers store into their peers',
/// one when all have stored, one when all have loaded from their peers'.
class window_channel final : public channel {
 public:
  window_channel(const exchange_problem& problem, const geometry& g, const company& with)
      : groups_(with.groups),
        loads_away_(g.arrives_later),
        sends_(mail::way::out, g.sends, problem, with),
        receives_(mail::way::in, g.receives, problem, with) {}

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
  void need(int message) override { receives_.wait_for_message(message); }
  int next() override { return receives_.next(); }

 private:
  /// Stores before it, streaming ones included, are visible to the others after it.
  void barrier(group among) const {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    mpi::check(MPI_Barrier(groups_[among].get()), "MPI_Barrier");
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

  std::vector<mpi::communicator> groups_;
  bool loads_away_;
  mail sends_, receives_;
};

geometry describe(const exchange_problem& problem, int way, std::span<const integer> /*agreed*/) {
  geometry made = shared_geometry(problem, way);
  const bool stores_away = made.before == preparation::meeting, loads_away = made.arrives_later;
  made.groups = {neighbours_of(problem, problem.from, stores_away ? made.home : problem.to),
                 neighbours_of(problem, problem.from, problem.to),
                 neighbours_of(problem, loads_away ? made.home : problem.from, problem.to)};
  return made;
}

}  // namespace

constexpr engine window_engine{.name = "window",
                               .shares = true,
                               .facts = nullptr,
                               .ways = shared_ways,
                               .describe = describe,
                               .open = open_as<window_channel>};

}  // namespace weft::exchange
