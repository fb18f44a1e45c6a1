// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "c/handles.hpp"

using namespace weft::c;

namespace {

template <class Use>
auto with_helper(const weft_spectral* of, const Use& use) {
  return std::visit(use, existing(of, "the spectral helper").value);
}

template <class Real>
using member = void (weft::spectral<Real>::*)(const weft::array<std::complex<Real>>&,
                                              weft::array<std::complex<Real>>&) const;

/// A member that makes one field of another; its address for each precision.
int between(const weft_spectral* of, const weft_array* f, const weft_array* result, member<float> in_f32,
            member<double> in_f64) {
  return guarded([&] {
    with_helper(of, [&]<class Real>(const weft::spectral<Real>& helper) {
      using modes = weft::array<std::complex<Real>>;
      with_arrays<std::complex<Real>>(
          of->on,
          [&](const modes& from, modes& to) {
            if constexpr (std::is_same_v<Real, float>) {
              (helper.*in_f32)(from, to);
            } else {
              (helper.*in_f64)(from, to);
            }
          },
          named_array("f", f), named_array("the result", result));
    });
  });
}

/// Calls use(arrays ...) with arrays of the elements that the plan's modes are.
template <class Real, class Use, class... Named>
void with_modes(const weft_spectral* of, const weft::spectral<Real>& helper, const Use& use, const Named&... named) {
  if (helper.has_real_modes()) return with_arrays<Real>(of->on, use, named...);
  with_arrays<std::complex<Real>>(of->on, use, named...);
}

int give_along(double* to, const std::vector<double>& values) {
  if (!values.empty()) (void)existing(to, "the place for the numbers");
  std::ranges::copy(values, to);
  return 0;
}

}  // namespace

int weft_spectral_create(const weft_plan* of, const double* lengths, weft_spectral** made) {
  return guarded([&] {
    const auto& plan = plan_of(of);
    weft::mpi::agree(of->on, [&] { (void)existing(made, "made"); });
    const int axes = plan.output().axes();
    const std::vector<double> periods =
        lengths == nullptr ? std::vector<double>() : std::vector(lengths, lengths + axes);
    if (plan.what().element == weft::precision::f32) {
      *made = new weft_spectral{weft::spectral<float>(plan, periods), of->on, axes};
    } else {
      *made = new weft_spectral{weft::spectral<double>(plan, periods), of->on, axes};
    }
  });
}

void weft_spectral_destroy(weft_spectral* of) { destroy(of); }

int weft_spectral_wavenumber(const weft_spectral* of, int axis, int64_t index, double* k) {
  return guarded(
      [&] { existing(k, "k") = with_helper(of, [&](const auto& helper) { return helper.wavenumber(axis, index); }); });
}

int weft_spectral_odd_wavenumber(const weft_spectral* of, int axis, int64_t index, double* k) {
  return guarded([&] {
    existing(k, "k") = with_helper(of, [&](const auto& helper) { return helper.odd_wavenumber(axis, index); });
  });
}

int weft_spectral_wavenumbers(const weft_spectral* of, int axis, double* k) {
  return guarded([&] { with_helper(of, [&](const auto& helper) { return give_along(k, helper.wavenumbers(axis)); }); });
}

int weft_spectral_odd_wavenumbers(const weft_spectral* of, int axis, double* k) {
  return guarded(
      [&] { with_helper(of, [&](const auto& helper) { return give_along(k, helper.odd_wavenumbers(axis)); }); });
}

int weft_spectral_weights(const weft_spectral* of, int axis, double* weights) {
  return guarded(
      [&] { with_helper(of, [&](const auto& helper) { return give_along(weights, helper.weights(axis)); }); });
}

int weft_spectral_mean_squares(const weft_spectral* of, const weft_array* modes, double* squares) {
  return guarded([&] {
    with_helper(of, [&]<class Real>(const weft::spectral<Real>& helper) {
      weft::mpi::agree(of->on, [&] { (void)existing(squares, "squares"); });
      with_modes(
          of, helper, [&](const auto& all) { std::ranges::copy(helper.mean_squares(all), squares); },
          named_array("the modes", modes));
    });
  });
}

int weft_spectral_spectrum(const weft_spectral* of, const weft_array* modes, double width, int64_t room,
                           weft_shell* shells, int64_t* count) {
  return guarded([&] {
    with_helper(of, [&]<class Real>(const weft::spectral<Real>& helper) {
      weft::mpi::agree(of->on, [&] {
        (void)existing(count, "count");
        if (room > 0) (void)existing(shells, "shells");
      });
      with_modes(
          of, helper,
          [&](const auto& all) {
            const auto found = helper.spectrum(all, width);
            *count = static_cast<int64_t>(found.size());
            for (int64_t s = 0; s < std::min(room, *count); ++s) {
              const auto& from = found[static_cast<std::size_t>(s)];
              shells[s] = {from.wavenumber, from.power, from.modes};
            }
          },
          named_array("the modes", modes));
    });
  });
}

int weft_spectral_derivative(const weft_spectral* of, const weft_array* f, const weft_array* result, int axis) {
  return guarded([&] {
    with_helper(of, [&]<class Real>(const weft::spectral<Real>& helper) {
      with_arrays<std::complex<Real>>(
          of->on, [&](const auto& from, auto& to) { helper.derivative(from, to, axis); }, named_array("f", f),
          named_array("the result", result));
    });
  });
}

#define WEFT_BETWEEN(name)                                                                           \
  int weft_spectral_##name(const weft_spectral* of, const weft_array* f, const weft_array* result) { \
    return between(of, f, result, &weft::spectral<float>::name, &weft::spectral<double>::name);      \
  }
WEFT_BETWEEN(gradient)
WEFT_BETWEEN(divergence)
WEFT_BETWEEN(curl)
#undef WEFT_BETWEEN

int weft_spectral_laplacian(const weft_spectral* of, const weft_array* f, const weft_array* result) {
  return guarded([&] {
    with_helper(of, [&](const auto& helper) {
      with_modes(
          of, helper, [&](const auto& from, auto& to) { helper.laplacian(from, to); }, named_array("f", f),
          named_array("the result", result));
    });
  });
}

int weft_spectral_poisson(const weft_spectral* of, const weft_array* f, const weft_array* result) {
  return guarded([&] {
    with_helper(of, [&](const auto& helper) {
      with_modes(
          of, helper, [&](const auto& from, auto& to) { helper.poisson(from, to); }, named_array("f", f),
          named_array("the result", result));
    });
  });
}
