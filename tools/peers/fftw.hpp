// What the adapters of FFTW share: its two precisions behind one name, and a contender around a plan.
#pragma once

#include <fftw3.h>

#include <cstring>
#include <functional>
#include <memory>

#include "peers/peer.hpp"

namespace weft::tool::peers {

template <class Real>
struct fftw;
template <>
struct fftw<double> {
  using complex = fftw_complex;
  using plan_object = fftw_plan_s;
  static constexpr precision width = precision::f64;
  static constexpr auto plan_c2c = fftw_plan_dft;
  static constexpr auto plan_r2c = fftw_plan_dft_r2c;
  static constexpr auto execute = fftw_execute;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto init_threads = fftw_init_threads;
  static constexpr auto plan_with_threads = fftw_plan_with_nthreads;
};
template <>
struct fftw<float> {
  using complex = fftwf_complex;
  using plan_object = fftwf_plan_s;
  static constexpr precision width = precision::f32;
  static constexpr auto plan_c2c = fftwf_plan_dft;
  static constexpr auto plan_r2c = fftwf_plan_dft_r2c;
  static constexpr auto execute = fftwf_execute;
  static constexpr auto destroy = fftwf_destroy_plan;
  static constexpr auto init_threads = fftwf_init_threads;
  static constexpr auto plan_with_threads = fftwf_plan_with_nthreads;
};

/// Plans made during its life use `count` threads. FFTW keeps the number for ever, and Weft may plan with it too.
template <class Real>
class planning_threads {
 public:
  explicit planning_threads(int count) { fftw<Real>::plan_with_threads(count); }
  ~planning_threads() { fftw<Real>::plan_with_threads(1); }
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
  std::shared_ptr<typename fftw<Real>::plan_object> plan;
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
    fill_random(fftw<Real>::width, parts_.in.get(), parts_.in_side.reals, rank_);
  }
  void forward() override { fftw<Real>::execute(parts_.plan.get()); }
  [[nodiscard]] double input_squares() const override { return squares(parts_.in, parts_.in_side); }
  [[nodiscard]] double output_squares() const override { return squares(parts_.out, parts_.out_side); }

 private:
  [[nodiscard]] double squares(const std::shared_ptr<std::byte>& data, const fftw_side& side) const {
    return parts_.plan ? weighted_squares(fftw<Real>::width, data.get(), side.reals, side.weight) : 0;
  }

  fftw_parts<Real> parts_;
  int rank_;
};

inline double always_once(integer) { return 1; }

/// FFTW's own rule: before any plan.
inline void start_fftw() {
  fftw<double>::init_threads();
  fftw<float>::init_threads();
}

}  // namespace weft::tool::peers
