// SPDX-License-Identifier: BSD-3-Clause
// What the adapters of FFTW share.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "local/engines/fftw_api.hpp"
#include "peers/peer.hpp"
#include "peers/peer_contender.hpp"

namespace weft::tool::peers {

using local::fftw_api;

/// Seconds that FFTW may measure for one plan: without a limit it takes many minutes for 2^24 elements in a line or
/// 16^6, and what it finds then is as fast as what it finds in this time, or as what it guesses.
inline constexpr double planning_seconds = 10;

/// Plans made during its life use `count` threads, and take a limited time. FFTW keeps both for ever, and Weft may plan
/// with it too.
template <class Real>
class planning {
 public:
  explicit planning(int threads) {
    fftw_api<Real>::plan_with_threads(threads);
    fftw_api<Real>::set_time_limit(planning_seconds);
  }
  ~planning() {
    fftw_api<Real>::plan_with_threads(1);
    fftw_api<Real>::set_time_limit(FFTW_NO_TIMELIMIT);
  }
  planning(const planning&) = delete;
  planning& operator=(const planning&) = delete;

  /// Whether the time was up, so that the plan is the best of what was measured by then, or a guess.
  [[nodiscard]] bool was_cut_short() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count() >= planning_seconds;
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

inline std::string cut_short_note(const std::string& who) {
  return who + ": FFTW had " + std::to_string(static_cast<int>(planning_seconds)) +
         " s to measure plans, and took the best by then, or a guess";
}

/// Destroys the plan with the last copy; none without a plan.
template <class Real>
std::function<void()> executing(typename fftw_api<Real>::plan made) {
  if (made == nullptr) return {};
  const std::shared_ptr<std::remove_pointer_t<typename fftw_api<Real>::plan>> plan(made, fftw_api<Real>::destroy);
  return [plan] { fftw_api<Real>::execute(plan.get()); };
}

/// FFTW's own rule: before any plan.
inline void start_fftw() {
  fftw_api<double>::init_threads();
  fftw_api<float>::init_threads();
}

}  // namespace weft::tool::peers
