// SPDX-License-Identifier: BSD-3-Clause
// Streamed writes of any size, place and order against plain copies.
#include "local/line_stream.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <random>
#include <vector>

namespace weft::local {
namespace {

TEST(line_stream, writes_what_memcpy_would) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  constexpr std::size_t size = 4096;
  for (int round = 0; round < 500; ++round) {
    std::vector<std::byte> from(size), to(size, std::byte{1}), wanted(size, std::byte{1});
    for (auto& b : from) b = static_cast<std::byte>(random());
    line_stream out;
    std::size_t at = below(200);
    for (int i = 0; i < 20; ++i) {
      const std::size_t bytes = below(3) == 0 ? below(16) : below(150);
      const std::size_t source = below(size - bytes);
      out.write(from.data() + source, to.data() + at, bytes);
      std::memcpy(wanted.data() + at, from.data() + source, bytes);
      at += bytes + (below(3) == 0 ? below(40) : 0);  // mostly on where the last ended
    }
    out.flush();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    ASSERT_EQ(to, wanted) << "round " << round;
  }
}

}  // namespace
}  // namespace weft::local
