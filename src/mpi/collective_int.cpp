// SPDX-License-Identifier: BSD-3-Clause
// For an MPI whose counts are ints.
#include "mpi/call.hpp"
#include "mpi/collective.hpp"

namespace weft::mpi {

namespace {

void as_ints(const std::vector<block>& blocks, std::vector<int>& counts, std::vector<int>& offsets) {
  for (const auto& b : blocks) {
    counts.push_back(static_cast<int>(b.count));
    offsets.push_back(static_cast<int>(b.offset));
  }
}

/// One item per block, its displacement inside the type, because displacements are ints too.
void as_types(const std::vector<block>& blocks, const datatype& element, std::size_t bytes, integer limit,
              std::vector<int>& counts, std::vector<int>& offsets, std::vector<datatype>& owned,
              std::vector<MPI_Datatype>& types) {
  for (const auto& b : blocks) {
    offsets.push_back(0);
    counts.push_back(b.count > 0 ? 1 : 0);
    types.push_back(MPI_BYTE);
    if (b.count == 0) continue;
    owned.push_back(block_type(element, bytes, b.offset * static_cast<integer>(bytes), b.count, limit));
    types.back() = owned.back().get();
  }
}

}  // namespace

alltoallv_call::alltoallv_call(communicator on, std::size_t element_bytes, const std::vector<block>& send,
                               const std::vector<block>& receive, bool small, integer count_limit)
    : on_(std::move(on)), element_(element_type(element_bytes)) {
  if (small) {
    as_ints(send, send_counts_, send_offsets_);
    as_ints(receive, receive_counts_, receive_offsets_);
  } else {
    as_types(send, element_, element_bytes, count_limit, send_counts_, send_offsets_, send_blocks_, send_types_);
    as_types(receive, element_, element_bytes, count_limit, receive_counts_, receive_offsets_, receive_blocks_,
             receive_types_);
  }
}

void alltoallv_call::operator()(const void* from, void* to) const {
  if (send_types_.empty()) {
    check(MPI_Alltoallv(from, send_counts_.data(), send_offsets_.data(), element_.get(), to, receive_counts_.data(),
                        receive_offsets_.data(), element_.get(), on_.get()),
          "MPI_Alltoallv");
  } else {
    check(MPI_Alltoallw(from, send_counts_.data(), send_offsets_.data(), send_types_.data(), to, receive_counts_.data(),
                        receive_offsets_.data(), receive_types_.data(), on_.get()),
          "MPI_Alltoallw");
  }
}

void alltoallv_call::begin(const void* from, void* to, MPI_Request& request) const {
  if (send_types_.empty()) {
    check(MPI_Ialltoallv(from, send_counts_.data(), send_offsets_.data(), element_.get(), to, receive_counts_.data(),
                         receive_offsets_.data(), element_.get(), on_.get(), &request),
          "MPI_Ialltoallv");
  } else {
    check(MPI_Ialltoallw(from, send_counts_.data(), send_offsets_.data(), send_types_.data(), to,
                         receive_counts_.data(), receive_offsets_.data(), receive_types_.data(), on_.get(), &request),
          "MPI_Ialltoallw");
  }
}

alltoall_call::alltoall_call(communicator on, std::size_t element_bytes, integer count, integer count_limit)
    : on_(std::move(on)), type_(element_type(element_bytes)), count_(static_cast<int>(count)) {
  if (count > count_limit) {
    type_ = block_type(type_, element_bytes, 0, count, count_limit);
    count_ = 1;
  }
}

void alltoall_call::operator()(const void* from, void* to) const {
  check(MPI_Alltoall(from, count_, type_.get(), to, count_, type_.get(), on_.get()), "MPI_Alltoall");
}

void alltoall_call::begin(const void* from, void* to, MPI_Request& request) const {
  check(MPI_Ialltoall(from, count_, type_.get(), to, count_, type_.get(), on_.get(), &request), "MPI_Ialltoall");
}

}  // namespace weft::mpi
