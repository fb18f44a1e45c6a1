// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/meeting.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <utility>

#include "mpi/call.hpp"
#include "weft/error.hpp"

namespace weft::mpi {

namespace {

/// Looking at the clock takes as long as a look for messages.
constexpr int looks_between_clocks = 256;

std::string text_of(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", seconds);
  return text.data();
}

std::string reproach(const std::string& whom, double patience) {
  return whom + " did not come to a barrier of the exchange within " + text_of(patience) +
         " s: it has died, is stopped, or waits elsewhere; results are lost, so end the program (option peer_timeout "
         "is "
         "this limit, 0 waits for ever)";
}

std::string name_of(int rank) { return "rank " + std::to_string(rank) + ", or one that it waits for,"; }

}  // namespace

void give_up(const std::string& whom, double patience) { throw mpi_error(reproach(whom, patience)); }

bool wait_for(std::span<MPI_Request> requests, double seconds) {
  const auto count = static_cast<int>(requests.size());
  if (!(seconds > 0)) {
    check(MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    return true;
  }
  using clock = std::chrono::steady_clock;
  clock::time_point begun{};
  for (int looks = 0;; ++looks) {
    int done = 0;
    check(MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (done != 0) return true;
    if (looks < looks_between_clocks) continue;
    looks = 0;
    const auto now = clock::now();
    if (begun == clock::time_point{}) begun = now;
    if (std::chrono::duration<double>(now - begun).count() > seconds) return false;
  }
}

meeting::meeting(communicator among, std::vector<int> members, int tag, double patience,
                 std::shared_ptr<board::sheet> sheet)
    : among_(std::move(among)), members_(std::move(members)), tag_(tag), patience_(patience), sheet_(std::move(sheet)) {
  if (sheet_) members_ = sheet_->ranks_of(members_);
}

void meeting::hold() {
  if (!sheet_) return hold_by_messages();
  if (const auto missing = sheet_->sign(among_, members_, patience_)) {
    throw mpi_error(reproach(name_of(sheet_->name_of(*missing)), patience_));
  }
}

void meeting::hold_by_messages() {
  if (!given_up_.empty()) throw mpi_error(given_up_);
  const int me = among_.rank(), ranks = among_.size();
  for (int distance = 1; distance < ranks; distance *= 2) {
    const int behind = (me - distance + ranks) % ranks, ahead = (me + distance) % ranks;
    std::array<MPI_Request, 2> both{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    check(MPI_Irecv(nullptr, 0, MPI_BYTE, behind, tag_, among_.get(), &both[0]), "MPI_Irecv");
    check(MPI_Isend(nullptr, 0, MPI_BYTE, ahead, tag_, among_.get(), &both[1]), "MPI_Isend");
    if (wait_for(both, patience_)) continue;
    const auto place = static_cast<std::size_t>(behind);
    given_up_ = reproach(name_of(place < members_.size() ? members_[place] : behind), patience_);
    for (auto& request : both) {  // a late message is still taken
      if (request != MPI_REQUEST_NULL) check(MPI_Request_free(&request), "MPI_Request_free");
    }
    throw mpi_error(given_up_);
  }
}

}  // namespace weft::mpi
