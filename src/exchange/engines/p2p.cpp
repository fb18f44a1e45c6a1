#include "exchange/engines/all.hpp"
#include "exchange/packed.hpp"
#include "mpi/call.hpp"
#include "mpi/collective.hpp"

namespace weft::exchange {

namespace {

class p2p_exchange final : public packed_exchange {
 public:
  explicit p2p_exchange(const exchange_problem& problem)
      : packed_exchange(problem), calls_(*problem.communicator, element_bytes_, problem.count_limit) {
    place_densely();
    gather(out_, out_offsets_, sends_);
    gather(in_, in_offsets_, receives_);
    send_requests_.assign(sends_.size(), MPI_REQUEST_NULL);
    receive_requests_.assign(receives_.size(), MPI_REQUEST_NULL);
  }

  void start(std::byte* from, std::byte* to) override {
    for (std::size_t i = 0; i < receives_.size(); ++i) {
      calls_.receive(to + receives_[i].offset, receives_[i].count, receives_[i].peer, receive_requests_[i]);
    }
    // Each rank begins with the peer after itself, so that not all send to rank 0 first.
    std::size_t first = 0;
    while (first < sends_.size() && sends_[first].peer < rank_) ++first;
    for (std::size_t k = 0; k < sends_.size(); ++k) {
      const std::size_t i = (first + k) % sends_.size();
      calls_.send(from + sends_[i].offset, sends_[i].count, sends_[i].peer, send_requests_[i]);
    }
  }

  [[nodiscard]] bool arrives_later() const override { return true; }

  void need(int message) override {
    auto& request = receive_requests_[static_cast<std::size_t>(message)];
    if (request != MPI_REQUEST_NULL) mpi::check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  }

  int next() override {
    int arrived = MPI_UNDEFINED;
    mpi::check(MPI_Waitany(static_cast<int>(receive_requests_.size()), receive_requests_.data(), &arrived,
                           MPI_STATUS_IGNORE),
               "MPI_Waitany");
    return arrived == MPI_UNDEFINED ? -1 : arrived;
  }

  void release() override { wait_all(send_requests_); }

  void finish() override {
    wait_all(receive_requests_);
    wait_all(send_requests_);
  }

 private:
  struct parcel {
    int peer;
    integer offset;  // bytes
    integer count;
  };

  void gather(const std::vector<message>& messages, const std::vector<integer>& offsets, std::vector<parcel>& parcels) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (messages[i].peer == rank_) continue;
      parcels.push_back({messages[i].peer, offsets[i] * static_cast<integer>(element_bytes_), messages[i].count});
      calls_.prepare(messages[i].count);
    }
  }

  static void wait_all(std::vector<MPI_Request>& requests) {
    mpi::check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  }

  mpi::message_calls calls_;
  std::vector<parcel> sends_, receives_;  // receive i is message number i of source()
  std::vector<MPI_Request> send_requests_, receive_requests_;
};

class p2p final : public engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "p2p"; }
  [[nodiscard]] bool plain() const override { return false; }
  [[nodiscard]] std::unique_ptr<exchange> make(const exchange_problem& problem) const override {
    return std::make_unique<p2p_exchange>(problem);
  }
};

}  // namespace

const engine& p2p_engine() {
  static const p2p instance;
  return instance;
}

}  // namespace weft::exchange
