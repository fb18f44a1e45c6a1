// SPDX-License-Identifier: BSD-3-Clause
#include "device/device.hpp"
#include "device/nccl.hpp"
#include "weft/error.hpp"

namespace weft::device {

std::string nccl_name(std::string& why_not) {
  why_not = "this build is without NCCL, install its header and configure with -DWEFT_CUDA=ON";
  return {};
}

nccl_ranks::name nccl_ranks::new_name() { throw device_error("this build is without NCCL"); }
nccl_ranks::nccl_ranks(const device& on, const name& /*known_as*/, int /*rank*/, int /*ranks*/) : on_(on) {
  throw device_error("this build is without NCCL");
}
nccl_ranks::~nccl_ranks() = default;
void nccl_ranks::exchange(std::span<const message> /*sends*/, std::span<const message> /*receives*/) const {
  throw internal_error("messages of NCCL in a build without it, on " + on_.name() + (with_ != nullptr ? "!" : ""));
}

}  // namespace weft::device
