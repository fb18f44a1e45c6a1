// SPDX-License-Identifier: BSD-3-Clause
// For an MPI with 64-bit counts (MPI 4: MPI_*_c).
#include "mpi/call.hpp"
#include "mpi/collective.hpp"

namespace weft::mpi {

alltoallv_call::alltoallv_call(communicator on, std::size_t element_bytes, const std::vector<block>& send,
                               const std::vector<block>& receive, bool /*small*/, integer /*count_limit*/)
    : on_(std::move(on)), element_(element_type(element_bytes)) {
  const auto fill = [](const std::vector<block>& blocks, auto& counts, auto& offsets) {
    for (const auto& b : blocks) {
      counts.push_back(static_cast<MPI_Count>(b.count));
      offsets.push_back(static_cast<MPI_Aint>(b.offset));
    }
  };
  fill(send, send_counts_, send_offsets_);
  fill(receive, receive_counts_, receive_offsets_);
}

void alltoallv_call::operator()(const void* from, void* to) const {
  check(MPI_Alltoallv_c(from, send_counts_.data(), send_offsets_.data(), element_.get(), to, receive_counts_.data(),
                        receive_offsets_.data(), element_.get(), on_.get()),
        "MPI_Alltoallv_c");
}

void alltoallv_call::begin(const void* from, void* to, MPI_Request& request) const {
  check(MPI_Ialltoallv_c(from, send_counts_.data(), send_offsets_.data(), element_.get(), to, receive_counts_.data(),
                         receive_offsets_.data(), element_.get(), on_.get(), &request),
        "MPI_Ialltoallv_c");
}

alltoall_call::alltoall_call(communicator on, std::size_t element_bytes, integer count, integer /*count_limit*/)
    : on_(std::move(on)), type_(element_type(element_bytes)), count_(count) {}

void alltoall_call::operator()(const void* from, void* to) const {
  check(MPI_Alltoall_c(from, count_, type_.get(), to, count_, type_.get(), on_.get()), "MPI_Alltoall_c");
}

void alltoall_call::begin(const void* from, void* to, MPI_Request& request) const {
  check(MPI_Ialltoall_c(from, count_, type_.get(), to, count_, type_.get(), on_.get(), &request), "MPI_Ialltoall_c");
}

}  // namespace weft::mpi
