// Non-blocking messages between fixed places of two buffers, posted together and waited for one by one.
#pragma once

#include <vector>

#include "mpi/collective.hpp"

namespace weft::exchange {

class mail {
 public:
  mail(const mpi::communicator& on, std::size_t element_bytes, integer count_limit)
      : calls_(on, element_bytes, count_limit), rank_(on.rank()) {}

  /// Messages are numbered in the order in which they are added; offsets in bytes, counts in elements.
  void add_send(int peer, integer offset, integer count) { add(sends_, send_requests_, peer, offset, count); }
  void add_receive(int peer, integer offset, integer count) { add(receives_, receive_requests_, peer, offset, count); }

  void start(const std::byte* from, std::byte* to);
  /// Waits for receive `number`.
  void need(int number);
  /// The next receive to complete, -1 after the last.
  int next();
  void finish_sends() { wait_all(send_requests_); }
  void finish();

 private:
  struct parcel {
    int peer;
    integer offset;
    integer count;
  };
  void add(std::vector<parcel>& parcels, std::vector<MPI_Request>& requests, int peer, integer offset, integer count);
  static void wait_all(std::vector<MPI_Request>& requests);

  mpi::message_calls calls_;
  int rank_;
  std::vector<parcel> sends_, receives_;
  std::vector<MPI_Request> send_requests_, receive_requests_;
};

}  // namespace weft::exchange
