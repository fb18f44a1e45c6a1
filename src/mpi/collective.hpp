// SPDX-License-Identifier: BSD-3-Clause
// The collective calls of the exchange engines, with 64-bit counts. Two files implement them: one for
// an MPI with MPI_*_c, one that goes through derived types where an int does not suffice.
#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/communicator.hpp"
#include "mpi/datatype.hpp"

namespace weft::mpi {

/// Elements for one peer in a packed buffer, in elements.
struct block {
  integer offset = 0;
  integer count = 0;
};

/// Packed all-to-all; one block per rank of `on` on each side. `small`, the same on every rank: no number is above the
/// limit.
class alltoallv_call {
 public:
  alltoallv_call(communicator on, std::size_t element_bytes, const std::vector<block>& send,
                 const std::vector<block>& receive, bool small, integer count_limit);
  void operator()(const void* from, void* to) const;
  /// The same without waiting.
  void begin(const void* from, void* to, MPI_Request& request) const;

 private:
  communicator on_;
  datatype element_;
#ifdef WEFT_MPI_HAS_LARGE_COUNTS
  std::vector<MPI_Count> send_counts_, receive_counts_;
  std::vector<MPI_Aint> send_offsets_, receive_offsets_;
#else
  std::vector<int> send_counts_, send_offsets_, receive_counts_, receive_offsets_;
  std::vector<datatype> send_blocks_, receive_blocks_;  // used instead when a count is too large
  std::vector<MPI_Datatype> send_types_, receive_types_;
#endif
};

/// All-to-all of equal blocks of `count` elements.
class alltoall_call {
 public:
  alltoall_call(communicator on, std::size_t element_bytes, integer count, integer count_limit);
  void operator()(const void* from, void* to) const;
  void begin(const void* from, void* to, MPI_Request& request) const;

 private:
  communicator on_;
  datatype type_;
#ifdef WEFT_MPI_HAS_LARGE_COUNTS
  MPI_Count count_;
#else
  int count_;
#endif
};

/// All-to-all of one datatype per peer, displacements inside the types; a peer may have none.
class alltoallw_call {
 public:
  struct part {
    int peer;
    datatype type;
  };
  alltoallw_call(communicator on, std::vector<part> send, std::vector<part> receive);
  void operator()(const void* from, void* to) const;
  void begin(const void* from, void* to, MPI_Request& request) const;

 private:
  communicator on_;
  std::vector<part> send_, receive_;
  std::vector<int> send_counts_, receive_counts_, zeros_;
  std::vector<MPI_Datatype> send_types_, receive_types_;
};

/// Lets MPI work on whatever is under way.
void progress(const communicator& on);

/// What was begun without waiting.
class pending_call {
 public:
  pending_call() = default;
  pending_call(const pending_call&) = delete;
  pending_call& operator=(const pending_call&) = delete;
  ~pending_call() = default;

  [[nodiscard]] MPI_Request& request() { return request_; }
  [[nodiscard]] bool done();
  void wait();

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// Non-blocking messages of `count` elements with one tag.
class message_calls {
 public:
  message_calls(communicator on, std::size_t element_bytes, integer count_limit, int tag);
  void receive(void* at, integer count, int peer, MPI_Request& request) const;
  void send(const void* at, integer count, int peer, MPI_Request& request) const;
  /// Whether a message of `peer` waits to be received; MPI works on others meanwhile.
  [[nodiscard]] bool announced(int peer) const;
  /// To be called while planning for every count that will be sent or received.
  void prepare(integer count);

 private:
  struct large {
    integer count;
    datatype type;
  };
  struct items {
    int count;
    MPI_Datatype type;
  };
  [[nodiscard]] const large* find(integer count) const;
  [[nodiscard]] items as_items(integer count) const;

  communicator on_;
  std::size_t element_bytes_;
  datatype element_;
  integer count_limit_;
  int tag_;
  std::vector<large> large_;
};

}  // namespace weft::mpi
