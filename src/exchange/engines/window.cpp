#include <atomic>

#include "exchange/engines/all.hpp"
#include "exchange/engines/mail.hpp"
#include "exchange/shared_image.hpp"
#include "mpi/call.hpp"
#include "mpi/shared_memory.hpp"

namespace weft::exchange {

namespace {

std::vector<int> node_members(const exchange_problem& problem) {
  return problem.communicator->members_of(mpi::node_of(*problem.communicator, problem.ranks_per_node));
}

/// Barriers among ranks of the node order the accesses to the images: one before producers store into their peers',
/// one when all have stored, one when all have loaded from their peers'. Each joins the ranks that could meet in an
/// element of the array.
class window_exchange final : public shared_exchange {
 public:
  explicit window_exchange(const exchange_problem& problem)
      : shared_exchange(problem, node_members(problem)),
        storing_(neighbours(problem, problem.from, stores_away_ ? problem.home : problem.to)),
        moving_(neighbours(problem, problem.from, problem.to)),
        loading_(neighbours(problem, loads_away_ ? problem.home : problem.from, problem.to)),
        mail_(*problem.communicator, element_bytes_, problem.count_limit) {
    for (const auto& r : sends_) mail_.add_send(r.peer, r.offset, r.count);
    for (const auto& r : receives_) mail_.add_receive(r.peer, r.offset, r.count);
  }

  void prepare(const image& /*from*/, const image& /*to*/) override {
    if (stores_away_) barrier(storing_);
  }
  void start(const image& from, const image& /*to*/) override {
    mail_.start(from.mine, from.mine);
    barrier(moving_);
  }
  void release() override { mail_.finish_sends(); }
  void finish() override {
    mail_.finish();
    if (loads_away_) barrier(loading_);
  }
  [[nodiscard]] bool arrives_later() const override { return loads_away_; }
  void need(int message) override { mail_.need(message); }
  int next() override { return mail_.next(); }

 private:
  /// The ranks of the node among which an array would move from `a` to `b`.
  [[nodiscard]] mpi::communicator neighbours(exchange_problem problem, const distribution& a,
                                             const distribution& b) const {
    const int per_node = problem.ranks_per_node;
    problem.from = a;
    problem.to = b;
    // The lowest rank of the node tells nodes apart.
    return group_of(problem).communicator.split("node of " + std::to_string(per_node), node_.front());
  }

  /// Stores before it, streaming ones included, are visible to the others after it.
  static void barrier(const mpi::communicator& among) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    mpi::check(MPI_Barrier(among.get()), "MPI_Barrier");
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

  mpi::communicator storing_, moving_, loading_;
  mail mail_;
};

class window final : public engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "window"; }
  [[nodiscard]] bool plain() const override { return false; }
  [[nodiscard]] bool shared() const override { return true; }
  [[nodiscard]] std::unique_ptr<exchange> make(const exchange_problem& problem) const override {
    return std::make_unique<window_exchange>(problem);
  }
};

}  // namespace

const engine& window_engine() {
  static const window instance;
  return instance;
}

}  // namespace weft::exchange
