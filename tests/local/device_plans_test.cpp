// SPDX-License-Identifier: BSD-3-Clause
// Plans of lengths for devices, and the compiler that makes kernels of them while a program runs: neither needs a GPU.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/memory.hpp"
#include "device/block_plan.hpp"
#include "device/kernels/straight_lines.hpp"
#include "device/launch_queues.hpp"
#include "device/plan_search.hpp"
#include "device/runtime_kernels.hpp"
#include "local/engine.hpp"
#include "weft/error.hpp"

namespace weft::device {
namespace {

using namespace core;

constexpr int architecture = 90;

bool is_smooth(int n) {
  for (const int p : {2, 3, 5, 7, 11, 13}) {
    while (n % p == 0) n /= p;
  }
  return n == 1;
}

straight_sweeps sweeps_of(straight_kind first, straight_kind second) {
  straight_sweeps c{};
  c.first.kind = first;
  c.second.kind = second;
  c.order.chunks = second != 0 || first == is_row + stores_reused ? 1 : 0;
  return c;
}

TEST(device_plans, fit_a_multiprocessor) {
  for (int n = 1; n <= longest_row(4) + 16; n += n < longest_planned ? 1 : 16) {
    for (const int real_bytes : {4, 8}) {
      for (const auto use : {plan_use::chain, plan_use::across}) {
        const auto by = plan_of(n, real_bytes, use);
        const int longest = use == plan_use::chain ? longest_row(real_bytes) : longest_planned;
        const bool may = n > 1 && n <= longest && is_smooth(n);
        ASSERT_EQ(by.stages > 0, n <= longest_planned ? may : may && by.stages > 0) << n;  // some long rows have none
        if (by.stages == 0) continue;
        ASSERT_EQ(by.length(), n);
        ASSERT_LE(by.threads * by.lanes, 1024) << n;
        ASSERT_GE(by.blocks, 1) << n;
        ASSERT_LE(by.registers(), 32) << n;
        ASSERT_LE(by.blocks * (work_bytes(by, real_bytes) + 1024), 227 * 1024) << n;
        // Each stage has room for all of its butterflies.
        for (int s = 0; s < by.stages; ++s) ASSERT_GE(by.slots(s) * by.threads, n) << n;
      }
    }
  }
}

TEST(device_plans, have_digits_of_long_lines) {
  for (const std::int64_t n :
       {std::int64_t{4097}, std::int64_t{8192}, std::int64_t{10000}, std::int64_t{30030}, std::int64_t{65536},
        std::int64_t{1} << 20, std::int64_t{1} << 24, std::int64_t{1} << 25, std::int64_t{8209}}) {
    const auto [first, second] = digits_of(n, 8);
    const bool has = n <= (std::int64_t{1} << 24) && n != 4097 && n != 8209;  // 17 * 241, and a prime
    ASSERT_EQ(first > 0, has) << n;
    if (!has) continue;
    EXPECT_EQ(std::int64_t{first} * second, n);
    EXPECT_LE(first, second) << n;
    EXPECT_LE(second, longest_planned) << n;
    EXPECT_EQ(first, n == 8192 ? 64 : n == 30030 ? 165 : first) << n;  // as equal as they can be
  }
}

/// Launches of a device, each of which must find zeros.
TEST(device_plans, queues_begin_with_zeros) {
  launch_queues queues;
  const auto zeros = [](std::size_t bytes) {
    memory block = base::host().allocate(bytes);
    std::memset(block.data(), 0, bytes);
    return block;
  };
  queues.renew(100, zeros);
  EXPECT_EQ(queues.room(), 100);
  for (const std::int64_t chunks : {5, 5, 90, 3, 3, 90, 90, 7, 1, 50, 99}) {
    sweep_order order{};
    order.chunks = chunks;
    queues.give(order);
    for (std::int64_t i = 0; i < queues.room(); ++i) {
      ASSERT_EQ(i < counts_of(order) ? order.queue[i] : 0, 0U) << chunks << ", " << i;
    }
    for (std::int64_t i = 0; i < counts_of(order); ++i) order.queue[i] = 7;
    for (std::int64_t i = 0; i < order.next_counts; ++i) order.next_queue[i] = 0;  // as kernels do
    queues.launched(order);
  }
}

TEST(device_plans, chain_fourier_transforms_alone) {
  const auto& engine = local::engine_named("gpu");
  for (const auto kind : {line_kind::c2c_forward, line_kind::dct2, line_kind::dst4}) {
    const std::vector<local::axis_transform> both{{1, kind, 16}, {0, kind, 16}};
    EXPECT_EQ(engine.transforms_in_one_pass(both, {16, 16}, precision::f64),
              kind == line_kind::c2c_forward ? std::size_t{2} : std::size_t{1});
  }
}

TEST(device_plans, are_compiled_while_a_program_runs) {
  if (const auto reason = why_no_compiler(architecture); !reason.empty()) GTEST_SKIP() << reason;
  const straight_kind chained = is_row + stores_reused;
  struct one {
    int length, real_bytes;
    plan_use use;
    straight_kind first, second;
  };
  for (const one& o :
       {one{30, 8, plan_use::chain, is_row, 0}, one{143, 4, plan_use::across, 0, 0},
        one{96, 8, plan_use::chain, chained, loads_reused}, one{90, 4, plan_use::chain, is_row + is_real, 0},
        one{110, 8, plan_use::chain, is_row + is_modes, 0}, one{90, 8, plan_use::across, is_turned, 0},
        one{110, 4, plan_use::across, is_turned, 0}}) {
    const auto name =
        straight_kernel_name(plan_of(o.length, o.real_bytes, o.use), o.real_bytes, sweeps_of(o.first, o.second));
    const auto made = compile_kernel(name, architecture);
    EXPECT_FALSE(made.code.empty()) << name;
    EXPECT_NE(std::string(made.code.begin(), made.code.end()).find(made.symbol), std::string::npos) << name;
  }
}

TEST(device_plans, that_cannot_be_compiled_are_errors) {
  if (const auto reason = why_no_compiler(architecture); !reason.empty()) GTEST_SKIP() << reason;
  try {
    (void)compile_kernel("weft::device::no_such_kernel<1>", architecture);
    FAIL();
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find("no_such_kernel"), std::string::npos);
  }
  EXPECT_FALSE(why_no_compiler(1).empty());
}

}  // namespace
}  // namespace weft::device
