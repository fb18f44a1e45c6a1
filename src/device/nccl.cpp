// SPDX-License-Identifier: BSD-3-Clause
#include "device/nccl.hpp"

#include <nccl.h>

#include <cstring>

#include "device/device.hpp"
#include "device/library.hpp"
#include "weft/error.hpp"

namespace weft::device {

namespace {

struct calls {
  loaded_library from{"libnccl.so.2", "libnccl.so", WEFT_NCCL_LIBRARY};
  decltype(::ncclGetVersion)* version = nullptr;
  decltype(::ncclGetErrorString)* text_of = nullptr;
  decltype(::ncclGetUniqueId)* new_id = nullptr;
  decltype(::ncclCommInitRank)* join = nullptr;
  decltype(::ncclCommDestroy)* leave = nullptr;
  decltype(::ncclGroupStart)* begin = nullptr;
  decltype(::ncclGroupEnd)* end = nullptr;
  decltype(::ncclSend)* send = nullptr;
  decltype(::ncclRecv)* receive = nullptr;

  calls() {
    from.find(version, "ncclGetVersion");
    from.find(text_of, "ncclGetErrorString");
    from.find(new_id, "ncclGetUniqueId");
    from.find(join, "ncclCommInitRank");
    from.find(leave, "ncclCommDestroy");
    from.find(begin, "ncclGroupStart");
    from.find(end, "ncclGroupEnd");
    from.find(send, "ncclSend");
    from.find(receive, "ncclRecv");
  }
};

const calls& nccl() {
  static const calls all;
  return all;
}

void check(ncclResult_t result, const char* call) {
  if (result == ncclSuccess) return;
  throw device_error(std::string("NCCL: ") + call + " failed: " + nccl().text_of(result));
}

}  // namespace

std::string nccl_name(std::string& why_not) {
  why_not = nccl().from.why_not();
  if (!why_not.empty()) return {};
  int version = 0;
  check(nccl().version(&version), "ncclGetVersion");
  return "NCCL " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

nccl_ranks::name nccl_ranks::new_name() {
  if (!nccl().from.why_not().empty()) throw device_error("there is no NCCL: " + nccl().from.why_not());
  ncclUniqueId id{};
  check(nccl().new_id(&id), "ncclGetUniqueId");
  name result{};
  static_assert(sizeof id <= sizeof result);
  std::memcpy(result.data(), &id, sizeof id);
  return result;
}

nccl_ranks::nccl_ranks(const device& on, const name& known_as, int rank, int ranks) : on_(on) {
  ncclUniqueId id{};
  std::memcpy(&id, known_as.data(), sizeof id);
  (void)on_.native_stream();  // makes its card this thread's
  ncclComm_t made = nullptr;
  check(nccl().join(&made, ranks, id, rank), "ncclCommInitRank");
  with_ = made;
}

nccl_ranks::~nccl_ranks() { (void)nccl().leave(static_cast<ncclComm_t>(with_)); }

void nccl_ranks::exchange(std::span<const message> sends, std::span<const message> receives) const {
  auto* const with = static_cast<ncclComm_t>(with_);
  auto* const stream = static_cast<cudaStream_t>(on_.native_stream());
  check(nccl().begin(), "ncclGroupStart");
  for (const auto& m : sends) check(nccl().send(m.address, m.bytes, ncclInt8, m.peer, with, stream), "ncclSend");
  for (const auto& m : receives) check(nccl().receive(m.address, m.bytes, ncclInt8, m.peer, with, stream), "ncclRecv");
  check(nccl().end(), "ncclGroupEnd");
}

}  // namespace weft::device
