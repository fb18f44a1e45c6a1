// SPDX-License-Identifier: BSD-3-Clause
// Seeded random draws, the same on every machine: std distributions differ between libraries.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "weft/index.hpp"

namespace weft::testing {

/// splitmix64: every seed is a good seed, also 0, 1, 2, ...
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t word() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// low and high included.
  integer between(integer low, integer high) {
    const auto width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    return static_cast<integer>(static_cast<std::uint64_t>(low) + (width == 0 ? word() : word() % width));
  }
  int small(int low, int high) { return static_cast<int>(between(low, high)); }
  /// True once in `times`.
  bool once_in(int times) { return between(1, times) == 1; }
  double unit() { return static_cast<double>(word() >> 11U) * 0x1p-53; }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(between(0, static_cast<integer>(from.size()) - 1))];
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[static_cast<std::size_t>(between(0, static_cast<integer>(i) - 1))]);
    }
  }

 private:
  std::uint64_t state_;
};

/// Where fresh draws begin: WEFT_FRESH, or anywhere. 0 means that there are none.
inline std::uint64_t fresh_start() {
  static const std::uint64_t start = [] {
    if (const char* given = std::getenv("WEFT_FRESH")) return static_cast<std::uint64_t>(std::stoull(given));
    const std::uint64_t drawn = std::random_device()();
    std::printf("fresh draws: WEFT_FRESH=%llu\n", static_cast<unsigned long long>(drawn));
    return drawn;
  }();
  return start;
}

/// The seeds of a test: WEFT_SEED alone, or `draws` that are the same each time, from `first` on, and half as many
/// fresh ones. Builds in which all is slow ask for WEFT_DRAWS together, of which half are fresh.
inline std::vector<std::uint64_t> seeds(int draws, std::uint64_t first = 1) {
  if (const char* one = std::getenv("WEFT_SEED")) return {std::stoull(one)};
  const char* const asked = std::getenv("WEFT_DRAWS");
  const int again = asked == nullptr ? draws : (std::stoi(asked) + 1) / 2;
  const int fresh = fresh_start() == 0 ? 0 : asked == nullptr ? draws / 2 : std::stoi(asked) / 2;
  const std::uint64_t start = dice(fresh_start() ^ dice(first).word()).word() >> 1U;
  std::vector<std::uint64_t> all;
  for (int i = 0; i < again; ++i) all.push_back(first + static_cast<std::uint64_t>(i));
  for (int i = 0; i < fresh; ++i) all.push_back(start + static_cast<std::uint64_t>(i));
  return all;
}

inline std::string rerun(std::uint64_t seed) { return "rerun just this draw with WEFT_SEED=" + std::to_string(seed); }

}  // namespace weft::testing
