// SPDX-License-Identifier: BSD-3-Clause
// What the adapters of FFTW share.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>

#include "local/engines/fftw_api.hpp"
#include "peers/peer.hpp"
#include "peers/peer_contender.hpp"

namespace weft::tool::peers {

using local::fftw_api;

/// Plans made during its life use `count` threads. FFTW keeps the number for ever, and Weft may plan with it too.
template <class Real>
class planning_threads {
 public:
  explicit planning_threads(int count) { fftw_api<Real>::plan_with_threads(count); }
  ~planning_threads() { fftw_api<Real>::plan_with_threads(1); }
  planning_threads(const planning_threads&) = delete;
  planning_threads& operator=(const planning_threads&) = delete;
};

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
