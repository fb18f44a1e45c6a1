// SPDX-License-Identifier: BSD-3-Clause
// NCCL on one rank with one card: joining, and messages to oneself in the order of the device's stream. More ranks need
// more cards.
#include <cstdio>
#include <cstring>
#include <vector>

#include "device/device.hpp"
#include "device/nccl.hpp"

int main() {
  using namespace weft;
  try {
    const auto& on = device::device_named("cuda", 0);
    std::string why_not;
    std::printf("%s on %s\n", device::nccl_name(why_not).c_str(), on.name().c_str());
    const device::nccl_ranks alone(on, device::nccl_ranks::new_name(), 0, 1);
    constexpr std::size_t bytes = 3 << 20;
    std::vector<unsigned char> sent(bytes), got(bytes, 0);
    for (std::size_t i = 0; i < bytes; ++i) sent[i] = static_cast<unsigned char>(i * 7 + i / 1000);
    const memory from = on.space().allocate(bytes), to = on.space().allocate(bytes);
    on.copy(from.data(), sent.data(), bytes);
    const device::nccl_ranks::message out[] = {{0, from.data(), bytes / 2}, {0, from.data() + bytes / 2, bytes / 2}};
    const device::nccl_ranks::message in[] = {{0, to.data(), bytes / 2}, {0, to.data() + bytes / 2, bytes / 2}};
    alone.exchange(out, in);
    on.copy(got.data(), to.data(), bytes);
    on.synchronize();
    const bool same = std::memcmp(sent.data(), got.data(), bytes) == 0;
    std::puts(same ? "what was sent came" : "WRONG: what came is not what was sent");
    return same ? 0 : 1;
  } catch (const std::exception& e) {
    std::printf("FAILED: %s\n", e.what());
    return 1;
  }
}
