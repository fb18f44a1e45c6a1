// SPDX-License-Identifier: BSD-3-Clause
#include "device/cufft.hpp"
#include "device/device.hpp"
#include "weft/error.hpp"

namespace weft::device {

std::string cufft_name(std::string& why_not) {
  why_not = "this build is without cuFFT, install its header and configure with -DWEFT_CUDA=ON";
  return {};
}

cufft_transform::cufft_transform(const device& on, const terms& /*of*/) : on_(on) {
  throw device_error("this build is without cuFFT");
}
cufft_transform::~cufft_transform() = default;
void cufft_transform::run(void* /*in*/, void* /*out*/, void* /*work*/, bool /*backward*/) const {
  throw internal_error("a transform of cuFFT in a build without it, on " + on_.name() + " number " +
                       std::to_string(handle_));
}

}  // namespace weft::device
