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

/// Barriers among the ranks of the node that this exchange connects order the accesses to the images:
/// one when all have stored, one when all have loaded.
class window_exchange final : public shared_exchange {
 public:
  explicit window_exchange(const exchange_problem& problem)
      : shared_exchange(problem, node_members(problem)),
        neighbours_(neighbours(problem, node_.front())),
        mail_(*problem.communicator, element_bytes_, problem.count_limit) {
    for (const auto& r : sends_) mail_.add_send(r.peer, r.offset, r.count);
    for (const auto& r : receives_) mail_.add_receive(r.peer, r.offset, r.count);
  }

  void prepare(const image& /*from*/, const image& /*to*/) override {
    if (push_) barrier();
  }
  void start(const image& from, const image& /*to*/) override {
    mail_.start(from.mine, from.mine);
    barrier();
  }
  void release() override { mail_.finish_sends(); }
  void finish() override {
    mail_.finish();
    if (!push_) barrier();
  }
  [[nodiscard]] bool arrives_later() const override { return !push_; }
  void need(int message) override { mail_.need(message); }
  int next() override { return mail_.next(); }

 private:
  /// `first`: the lowest rank of the node, which tells nodes apart.
  static mpi::communicator neighbours(const exchange_problem& problem, int first) {
    return group_of(problem).communicator.split("node of " + std::to_string(problem.ranks_per_node), first);
  }

  /// Stores before it, streaming ones included, are visible to the others after it.
  void barrier() const {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    mpi::check(MPI_Barrier(neighbours_.get()), "MPI_Barrier");
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

  mpi::communicator neighbours_;
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
