// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/engines/mail.hpp"

#include <algorithm>
#include <cstring>

#include "device/device.hpp"
#include "mpi/call.hpp"

namespace weft::exchange {

mail::mail(way where, std::vector<parcel> parcels, const exchange_problem& problem, const company& with)
    : calls_(*with.all, problem.element_bytes, problem.count_limit, with.tag),
      way_(where),
      parcels_(std::move(parcels)),
      requests_(parcels_.size(), MPI_REQUEST_NULL),
      arrivals_(parcels_.size()) {
  for (std::size_t i = 0; i < parcels_.size(); ++i) {
    calls_.prepare(parcels_[i].count);
    if (parcels_[i].message < 0) continue;
    const auto number = static_cast<std::size_t>(parcels_[i].message);
    if (number >= messages_.size()) messages_.resize(number + 1);
    if (messages_[number].parcels++ == 0) messages_[number].first = i;
  }
}

void mail::restart(std::byte* buffer) {
  buffer_ = buffer;
  begun_ = told_ = come_ = 0;
  for (auto& m : messages_) m.missing = m.parcels;
}

std::size_t mail::first_after(integer when) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(parcels_, when, {}, &parcel::when) - parcels_.begin());
}

void mail::begin_up_to(integer when) {
  for (; begun_ < parcels_.size() && parcels_[begun_].when <= when; ++begun_) {
    const parcel& p = parcels_[begun_];
    if (way_ == way::out) {
      calls_.send(buffer_ + p.offset, p.count, p.peer, requests_[begun_]);
    } else {
      calls_.receive(buffer_ + p.offset, p.count, p.peer, requests_[begun_]);
    }
  }
}

void mail::wait_for_message(int message) {
  auto& m = messages_[static_cast<std::size_t>(message)];
  if (std::exchange(m.missing, 0) > 0) wait(m.first, m.first + m.parcels);
}

void mail::wait_for_moment(integer when) { wait(first_after(when - 1), first_after(when)); }

void mail::wait(std::size_t begin, std::size_t end) {
  if (begin == end) return;
  mpi::check(MPI_Waitall(static_cast<int>(end - begin), requests_.data() + begin, MPI_STATUSES_IGNORE), "MPI_Waitall");
}

int mail::next() {
  for (;;) {
    while (told_ < come_) {
      const int message = parcels_[static_cast<std::size_t>(arrivals_[told_++])].message;
      if (--messages_[static_cast<std::size_t>(message)].missing == 0) return message;
    }
    // All at once: there may be thousands of pieces, and each call looks at all of them.
    int count = MPI_UNDEFINED;
    mpi::check(MPI_Waitsome(static_cast<int>(requests_.size()), requests_.data(), &count, arrivals_.data(),
                            MPI_STATUSES_IGNORE),
               "MPI_Waitsome");
    told_ = 0;
    come_ = count == MPI_UNDEFINED ? 0 : static_cast<std::size_t>(count);
    if (come_ == 0) return -1;
  }
}

void mail::progress() const {
  int done = 0;
  if (requests_.empty()) return;
  mpi::check(MPI_Request_get_status(requests_.back(), &done, MPI_STATUS_IGNORE), "MPI_Request_get_status");
}

bool mail::done(std::size_t begin, std::size_t end) const {
  int flag = 1;
  for (std::size_t i = begin; i < end && flag != 0; ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    mpi::check(MPI_Request_get_status(requests_[i], &flag, MPI_STATUS_IGNORE), "MPI_Request_get_status");
  }
  return flag != 0;
}

bool mail::all_announced() const {
  for (std::size_t i = 0; i < parcels_.size(); ++i) {
    const int peer = parcels_[i].peer;
    const auto before = parcels_.begin() + static_cast<std::ptrdiff_t>(i);
    if (i < begun_ || std::ranges::find(parcels_.begin(), before, peer, &parcel::peer) != before) continue;
    if (!calls_.announced(peer)) return false;
  }
  return done();
}

void begin_both(mail& sends, integer sent, mail& receives, integer received, bool between_nodes) {
  if (between_nodes) sends.begin_up_to(sent);
  receives.begin_up_to(received);
  if (!between_nodes) sends.begin_up_to(sent);
}

void copy_held(const held_copy& held, const image& from, const image& to, const device::device* on) {
  const auto bytes = static_cast<std::size_t>(held.bytes);
  if (bytes == 0) return;
  std::byte* const target = to.mine + held.to_offset;
  const std::byte* const source = from.mine + held.from_offset;
  if (on != nullptr) {
    on->copy(target, source, bytes);
  } else {
    std::memcpy(target, source, bytes);
  }
}

}  // namespace weft::exchange
