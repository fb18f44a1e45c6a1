// What the adapters of FFTW share: a contender around a plan.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>

#include "local/engines/fftw_api.hpp"
#include "peers/peer.hpp"

namespace weft::tool::peers {

using local::fftw_api;

template <class Real>
constexpr precision width_of = sizeof(Real) == sizeof(float) ? precision::f32 : precision::f64;

/// Plans made during its life use `count` threads. FFTW keeps the number for ever, and Weft may plan with it too.
template <class Real>
class planning_threads {
 public:
  explicit planning_threads(int count) { fftw_api<Real>::plan_with_threads(count); }
  ~planning_threads() { fftw_api<Real>::plan_with_threads(1); }
  planning_threads(const planning_threads&) = delete;
  planning_threads& operator=(const planning_threads&) = delete;
};

/// An array as FFTW sees it, in real numbers.
struct fftw_side {
  integer reals = 0;
  std::function<double(integer)> weight;  ///< of each in the sum of squares
};

/// This rank's plan and arrays; without a plan, this rank has no part in it.
template <class Real>
struct fftw_parts {
  std::shared_ptr<std::remove_pointer_t<typename fftw_api<Real>::plan>> plan;
  std::shared_ptr<std::byte> in, out;
  fftw_side in_side, out_side;
};

template <class Real>
class fftw_contender : public contender {
 public:
  fftw_contender(contender_label label, fftw_parts<Real> parts, int rank)
      : contender(std::move(label)), parts_(std::move(parts)), rank_(rank) {}

  void prepare() override {
    if (!parts_.plan) return;
    std::memset(parts_.out.get(), 0, static_cast<std::size_t>(parts_.out_side.reals) * sizeof(Real));
    fill_random(width_of<Real>, parts_.in.get(), parts_.in_side.reals, rank_);
  }
  void forward() override { fftw_api<Real>::execute(parts_.plan.get()); }
  [[nodiscard]] double input_squares() const override { return squares(parts_.in, parts_.in_side); }
  [[nodiscard]] double output_squares() const override { return squares(parts_.out, parts_.out_side); }

 private:
  [[nodiscard]] double squares(const std::shared_ptr<std::byte>& data, const fftw_side& side) const {
    return parts_.plan ? weighted_squares(width_of<Real>, data.get(), side.reals, side.weight) : 0;
  }

  fftw_parts<Real> parts_;
  int rank_;
};

inline double always_once(integer) { return 1; }

/// FFTW's own rule: before any plan.
inline void start_fftw() {
  fftw_api<double>::init_threads();
  fftw_api<float>::init_threads();
}

}  // namespace weft::tool::peers
