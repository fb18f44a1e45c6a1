// SPDX-License-Identifier: BSD-3-Clause
#include "weft/spectral.hpp"

#include "facade/spectral_state.hpp"

namespace weft {

namespace {

/// i k times a value.
template <class Real>
std::complex<Real> turned(double k, const std::complex<Real>& v) {
  const auto by = static_cast<Real>(k);
  return {-by * v.imag(), by * v.real()};
}

}  // namespace

template <class Real>
spectral<Real>::spectral(const plan& of, const std::vector<double>& lengths) {
  const auto& on = detail::plan_internals::ranks_of(of);
  mpi::require_same(on, {{"lengths", facade::text_of(lengths)}});
  mpi::agree(on, [&] { state_ = std::make_shared<const state>(of, lengths); });
}

template <class Real>
bool spectral<Real>::has_real_modes() const {
  return state_->real;
}

template <class Real>
double spectral<Real>::wavenumber(int axis, integer index) const {
  const std::size_t l = state_->axis(axis);
  detail::require_below("index", index, state_->how.shape()[l]);
  return state_->axes[l].unit * state_->axes[l].number(index);
}

template <class Real>
double spectral<Real>::odd_wavenumber(int axis, integer index) const {
  return state_->axes[state_->axis(axis)].is_middle(index) ? 0 : wavenumber(axis, index);
}

template <class Real>
const std::vector<double>& spectral<Real>::wavenumbers(int axis) const {
  return state_->local[state_->axis(axis)].even;
}

template <class Real>
const std::vector<double>& spectral<Real>::odd_wavenumbers(int axis) const {
  return state_->local[state_->axis(axis)].odd;
}

template <class Real>
const std::vector<double>& spectral<Real>::weights(int axis) const {
  return state_->local[state_->axis(axis)].weights;
}

template <class Real>
std::vector<double> spectral<Real>::mean_squares(const modes& f) const {
  return state_->mean_squares(f);
}

template <class Real>
std::vector<double> spectral<Real>::mean_squares(const real_modes& f) const {
  return state_->mean_squares(f);
}

template <class Real>
std::vector<shell> spectral<Real>::spectrum(const modes& f, double width) const {
  return state_->spectrum(f, width);
}

template <class Real>
std::vector<shell> spectral<Real>::spectrum(const real_modes& f, double width) const {
  return state_->spectrum(f, width);
}

template <class Real>
void spectral<Real>::derivative(const modes& f, modes& result, int axis) const {
  const auto& s = *state_;
  std::size_t l = 0;
  mpi::agree(s.on, [&] {
    l = s.axis(axis);
    s.require_derivatives({&l, 1});
  });
  s.transform(f, result, 1, 1,
              [&](const auto&, const auto& odd, const auto& in, auto& out) { out[0] = turned(odd[l], in[0]); });
}

template <class Real>
void spectral<Real>::gradient(const modes& f, modes& result) const {
  const auto& s = *state_;
  mpi::agree(s.on, [&] { s.require_derivatives(s.components); });
  s.transform(f, result, 1, s.components.size(), [&](const auto&, const auto& odd, const auto& in, auto& out) {
    for (std::size_t c = 0; c < s.components.size(); ++c) out[c] = turned(odd[s.components[c]], in[0]);
  });
}

template <class Real>
void spectral<Real>::divergence(const modes& f, modes& result) const {
  const auto& s = *state_;
  mpi::agree(s.on, [&] { s.require_derivatives(s.components); });
  s.transform(f, result, s.components.size(), 1, [&](const auto&, const auto& odd, const auto& in, auto& out) {
    out[0] = 0;
    for (std::size_t c = 0; c < s.components.size(); ++c) out[0] += turned(odd[s.components[c]], in[c]);
  });
}

template <class Real>
void spectral<Real>::curl(const modes& f, modes& result) const {
  const auto& s = *state_;
  const auto& c = s.components;
  mpi::agree(s.on, [&] {
    if (c.size() != 2 && c.size() != 3) {
      throw argument_error("a curl needs 2 or 3 transformed axes, the plan has " + std::to_string(c.size()));
    }
    s.require_derivatives(c);
  });
  if (c.size() == 2) {
    s.transform(f, result, 2, 1, [&](const auto&, const auto& odd, const auto& in, auto& out) {
      out[0] = turned(odd[c[0]], in[1]) - turned(odd[c[1]], in[0]);
    });
    return;
  }
  s.transform(f, result, 3, 3, [&](const auto&, const auto& odd, const auto& in, auto& out) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      out[i] = turned(odd[c[j]], in[k]) - turned(odd[c[k]], in[j]);
    }
  });
}

template <class Real>
void spectral<Real>::laplacian(const modes& f, modes& result) const {
  state_->laplacian(f, result);
}

template <class Real>
void spectral<Real>::laplacian(const real_modes& f, real_modes& result) const {
  state_->laplacian(f, result);
}

template <class Real>
void spectral<Real>::poisson(const modes& f, modes& result) const {
  state_->poisson(f, result);
}

template <class Real>
void spectral<Real>::poisson(const real_modes& f, real_modes& result) const {
  state_->poisson(f, result);
}

template class spectral<float>;
template class spectral<double>;

}  // namespace weft
