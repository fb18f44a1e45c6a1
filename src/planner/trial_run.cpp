// SPDX-License-Identifier: BSD-3-Clause
#include "planner/trial_run.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "base/memory.hpp"
#include "device/device.hpp"
#include "mpi/agreement.hpp"
#include "weft/error.hpp"

namespace weft::planner {

namespace {

// Repetitions: at least so many, and more until so many seconds.
constexpr int least_repetitions = 3;
constexpr int most_repetitions = 40;
constexpr double enough_seconds = 0.03;
// Not worth another repetition.
constexpr double clearly_slower = 1.3;

void clear(const crew& on, const memory& block) {
  if (on.on != nullptr) {
    on.on->clear(block.data(), block.bytes());
  } else {
    std::fill_n(block.data(), block.bytes(), std::byte{0});
  }
}

/// An array of the user's, in its stead: zeros.
memory stand_in(const crew& on, integer bytes, array_memory lying) {
  memory block;
  mpi::agree(on.all, [&] {
    auto& space = lying == array_memory::shared ? *on.shared : on.own();
    block = space.allocate(static_cast<std::size_t>(bytes));
    clear(on, block);
  });
  return block;
}

exchange::image image_of(const memory& block) { return {block.data(), block.peers()}; }

}  // namespace

double least_seconds(bound& result, const options& how, const crew& on, double best) {
  const memory in = stand_in(on, result.array_bytes(true, how.in_place), result.arrays);
  const memory out = how.in_place ? in : stand_in(on, result.array_bytes(false, false), result.arrays);
  auto& forward = result.execution(direction::forward, result.arrays);
  using clock = std::chrono::steady_clock;
  const auto once = [&] {
    (void)mpi::largest(on.all, 0);  // all begin together
    const auto begin = clock::now();
    forward.run(image_of(in), image_of(out), nullptr, true);
    if (on.on != nullptr) on.on->synchronize();
    const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - begin).count();
    return 1e-9 * static_cast<double>(mpi::largest(on.all, std::max<long long>(spent, 1)));
  };
  double sum = once();  // touches all memory, and is not counted
  double least = std::numeric_limits<double>::infinity();
  if (sum > 3 * clearly_slower * best) return sum;
  for (int k = 0; k < most_repetitions && (k < least_repetitions || sum < enough_seconds); ++k) {
    const double seconds = once();
    sum += seconds;
    least = std::min(least, seconds);
    if (k > 0 && least > clearly_slower * best) break;
  }
  return least;
}

}  // namespace weft::planner
