// SPDX-License-Identifier: BSD-3-Clause
// What the modes of a plan mean: wavenumbers, weights, norms, spectra, derivatives, whatever the distribution.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "weft/plan.hpp"

namespace [[gnu::visibility("default")]] weft {

/// The modes with about the same |k|.
struct shell {
  double wavenumber = 0;  ///< the mean |k| of its modes; of an empty shell its middle
  double power = 0;       ///< their part of the mean square; those of all shells add up to it
  double modes = 0;       ///< how many there are; a mode that stands for its conjugate too is two

  /// The mean power of a mode.
  [[nodiscard]] double average() const { return modes > 0 ? power / modes : 0; }
};

/// Helpers bound to the output side of a plan with elements of precision `Real`; it may outlive the plan. Modes are
/// arrays as the plan's make_output() makes them, in its distribution, with any layout and, unless said otherwise, any
/// batch. All of it is right for half the modes of a real field, for plans that keep fewer modes than there are, for
/// any `options::scaling`, and where only some axes are transformed: vectors then have one component for each
/// transformed axis, in rising order.
///
/// Odd derivatives of the mode n/2 of an even extent n cannot be told from the samples, and are zero here; even ones,
/// as in laplacian(), take its wavenumber.
///
/// Coefficients of cosine and sine transforms are modes, too, of the interval between two walls: on the grid and with
/// the frequencies of their kind, see wavenumber(). First derivatives along such an axis are of another kind (those of
/// cosines are sines), and asking for them is an argument_error. Plans without any Fourier transform have real modes.
///
/// What takes arrays is collective and throws the same error on all ranks. Output and input may be the same array where
/// they have the same batch.
template <class Real>
class spectral {
 public:
  using modes = array<std::complex<Real>>;
  using real_modes = array<Real>;

  /// `lengths`: the period of the field along each axis, or the distance of the walls of cosine and sine transforms;
  /// empty: 2 pi, or pi, so that wavenumbers are integers.
  explicit spectral(const plan& of, const std::vector<double>& lengths = {});

  /// Whether the plan's modes are real_modes.
  [[nodiscard]] bool has_real_modes() const;

  /// Of the mode with this global index along `axis`: 2 pi/length times 0, 1, ... n/2, ... -2, -1; zero along axes that
  /// are not transformed. The mode n/2 of an even extent counts as positive, but as negative in a complex field that
  /// keeps n of more modes. Of cosine and sine transforms: pi/length times 0, 1, ... (dct1, dct2), 1, 2, ... (dst1,
  /// dst2) or 1/2, 3/2, ... (types 3 and 4).
  [[nodiscard]] double wavenumber(int axis, integer index) const;
  /// The same for odd derivatives: zero at n/2.
  [[nodiscard]] double odd_wavenumber(int axis, integer index) const;
  /// Those of this rank's modes, by local position.
  [[nodiscard]] const std::vector<double>& wavenumbers(int axis) const;
  [[nodiscard]] const std::vector<double>& odd_wavenumbers(int axis) const;
  /// How many modes exp(ikx) of the whole field each of this rank's stands for: 2 where a real field's conjugate is
  /// left out, and of cosines and sines; 0 of the element n/2 of a real field that keeps n of more modes, which is
  /// none. The weight of a mode is the product over all axes.
  [[nodiscard]] const std::vector<double>& weights(int axis) const;

  /// The mean of |f|^2 over the grid (Parseval), of each array of the batch. Between walls it is the mean over the
  /// interval: points on a wall count half (dct1, dct3, dst3), and the walls of dst1, where f is zero, are points.
  [[nodiscard]] std::vector<double> mean_squares(const modes& f) const;
  [[nodiscard]] std::vector<double> mean_squares(const real_modes& f) const;
  /// Its parts by shells: shell s has the modes with |k| from (s - 1/2) width to (s + 1/2) width, and all arrays of the
  /// batch are added up. Half the power of a velocity is the energy. A width of 0 is the smallest distance of
  /// wavenumbers along an axis.
  [[nodiscard]] std::vector<shell> spectrum(const modes& f, double width = 0) const;
  [[nodiscard]] std::vector<shell> spectrum(const real_modes& f, double width = 0) const;

  /// Along one axis.
  void derivative(const modes& f, modes& result, int axis) const;
  /// Each array of `f` becomes one for each component, one after the other.
  void gradient(const modes& f, modes& result) const;
  void divergence(const modes& f, modes& result) const;
  /// Of vectors with three components; or with two, whose curl has one.
  void curl(const modes& f, modes& result) const;
  void laplacian(const modes& f, modes& result) const;
  void laplacian(const real_modes& f, real_modes& result) const;
  /// The `result` whose laplacian is `f`. What is constant in all transformed axes, the zero mode, has no such: in
  /// `f` it is taken for zero, and in `result` it is zero. (No plan with a sine transform, or one of type 3 or 4, has
  /// it.)
  void poisson(const modes& f, modes& result) const;
  void poisson(const real_modes& f, real_modes& result) const;

 private:
  struct state;
  std::shared_ptr<const state> state_;
};

extern template class spectral<float>;
extern template class spectral<double>;

}  // namespace weft
