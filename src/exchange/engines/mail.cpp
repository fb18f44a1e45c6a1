#include "exchange/engines/mail.hpp"

#include "mpi/call.hpp"

namespace weft::exchange {

void mail::add(std::vector<parcel>& parcels, std::vector<MPI_Request>& requests, int peer, integer offset,
               integer count) {
  parcels.push_back({peer, offset, count});
  requests.push_back(MPI_REQUEST_NULL);
  calls_.prepare(count);
}

void mail::start(const std::byte* from, std::byte* to) {
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

void mail::need(int number) {
  auto& request = receive_requests_[static_cast<std::size_t>(number)];
  if (request != MPI_REQUEST_NULL) mpi::check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

int mail::next() {
  int arrived = MPI_UNDEFINED;
  mpi::check(
      MPI_Waitany(static_cast<int>(receive_requests_.size()), receive_requests_.data(), &arrived, MPI_STATUS_IGNORE),
      "MPI_Waitany");
  return arrived == MPI_UNDEFINED ? -1 : arrived;
}

void mail::finish() {
  wait_all(receive_requests_);
  wait_all(send_requests_);
}

void mail::wait_all(std::vector<MPI_Request>& requests) {
  mpi::check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

}  // namespace weft::exchange
