// SPDX-License-Identifier: BSD-3-Clause
// What the modes along each axis of a plan mean.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "index/line_kind.hpp"
#include "weft/plan.hpp"

namespace weft::facade {

/// Along one axis.
struct modes_along {
  core::line_kind kind = core::line_kind::none;
  integer points = 0;  ///< of the grid
  integer kept = 0;    ///< modes, fewer where problem::modes says so
  bool real = false;   ///< the transform has an axis that is halved
  double unit = 0;     ///< from one wavenumber to the next

  [[nodiscard]] bool is_transformed() const { return kind != core::line_kind::none; }
  /// Whether derivatives stay in the same modes: those of cosines are sines.
  [[nodiscard]] bool has_derivatives() const { return core::is_fourier(kind); }
  /// What a mode is in units.
  [[nodiscard]] double number(integer index) const;
  /// Where odd derivatives are zero.
  [[nodiscard]] bool is_middle(integer index) const;
  /// How many modes exp(ikx) it stands for.
  [[nodiscard]] double weight(integer index) const;
  /// The largest |number|.
  [[nodiscard]] double largest() const;
};

/// Throws argument_error where modes have no such meaning. Empty lengths: those for which units are 1.
[[nodiscard]] std::vector<modes_along> modes_of(const plan& of, const std::vector<double>& lengths);

/// |mode|^2 times its weight times this is its part of the mean square of the field.
[[nodiscard]] double norm_of(const std::vector<modes_along>& axes, normalization scaling);

/// All digits, for ranks to compare.
[[nodiscard]] std::string text_of(std::span<const double> numbers);

}  // namespace weft::facade
