// SPDX-License-Identifier: BSD-3-Clause
// What both kinds of MPI do alike.
#include "mpi/collective.hpp"

#include "mpi/call.hpp"

namespace weft::mpi {

namespace {

void spread(const std::vector<alltoallw_call::part>& parts, int ranks, std::vector<int>& counts,
            std::vector<MPI_Datatype>& types) {
  counts.assign(static_cast<std::size_t>(ranks), 0);
  types.assign(static_cast<std::size_t>(ranks), MPI_BYTE);
  for (const auto& p : parts) {
    counts[static_cast<std::size_t>(p.peer)] = 1;
    types[static_cast<std::size_t>(p.peer)] = p.type.get();
  }
}

}  // namespace

alltoallw_call::alltoallw_call(communicator on, std::vector<part> send, std::vector<part> receive)
    : on_(std::move(on)), send_(std::move(send)), receive_(std::move(receive)) {
  spread(send_, on_.size(), send_counts_, send_types_);
  spread(receive_, on_.size(), receive_counts_, receive_types_);
  zeros_.assign(static_cast<std::size_t>(on_.size()), 0);
}

void alltoallw_call::operator()(const void* from, void* to) const {
  check(MPI_Alltoallw(from, send_counts_.data(), zeros_.data(), send_types_.data(), to, receive_counts_.data(),
                      zeros_.data(), receive_types_.data(), on_.get()),
        "MPI_Alltoallw");
}

void alltoallw_call::begin(const void* from, void* to, MPI_Request& request) const {
  check(MPI_Ialltoallw(from, send_counts_.data(), zeros_.data(), send_types_.data(), to, receive_counts_.data(),
                       zeros_.data(), receive_types_.data(), on_.get(), &request),
        "MPI_Ialltoallw");
}

void progress(const communicator& on) {
  // Nobody sends messages with this tag: Open MPI does no work for others if the probe finds one.
  constexpr int nobodys_tag = 1;
  int flag = 0;
  check(MPI_Iprobe(MPI_ANY_SOURCE, nobodys_tag, on.get(), &flag, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

bool pending_call::done() {
  if (request_ == MPI_REQUEST_NULL) return true;
  int flag = 0;
  check(MPI_Test(&request_, &flag, MPI_STATUS_IGNORE), "MPI_Test");
  return flag != 0;
}

void pending_call::wait() {
  if (request_ != MPI_REQUEST_NULL) check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
}

message_calls::message_calls(communicator on, std::size_t element_bytes, integer count_limit, int tag)
    : on_(std::move(on)),
      element_bytes_(element_bytes),
      element_(element_type(element_bytes)),
      count_limit_(count_limit),
      tag_(tag) {}

void message_calls::prepare(integer count) {
  if (count > count_limit_ && find(count) == nullptr) {
    large_.push_back({count, block_type(element_, element_bytes_, 0, count, count_limit_)});
  }
}

const message_calls::large* message_calls::find(integer count) const {
  for (const auto& l : large_) {
    if (l.count == count) return &l;
  }
  return nullptr;
}

message_calls::items message_calls::as_items(integer count) const {
  const large* const whole = count > count_limit_ ? find(count) : nullptr;
  return whole ? items{1, whole->type.get()} : items{static_cast<int>(count), element_.get()};
}

bool message_calls::announced(int peer) const {
  int flag = 0;
  check(MPI_Iprobe(peer, tag_, on_.get(), &flag, MPI_STATUS_IGNORE), "MPI_Iprobe");
  return flag != 0;
}

void message_calls::receive(void* at, integer count, int peer, MPI_Request& request) const {
  const auto [n, type] = as_items(count);
  check(MPI_Irecv(at, n, type, peer, tag_, on_.get(), &request), "MPI_Irecv");
}

void message_calls::send(const void* at, integer count, int peer, MPI_Request& request) const {
  const auto [n, type] = as_items(count);
  check(MPI_Isend(at, n, type, peer, tag_, on_.get(), &request), "MPI_Isend");
}

}  // namespace weft::mpi
