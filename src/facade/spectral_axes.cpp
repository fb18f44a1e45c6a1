// SPDX-License-Identifier: BSD-3-Clause
#include "facade/spectral_axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "planner/resolve.hpp"
#include "weft/error.hpp"

namespace weft::facade {

namespace {

using core::line_kind;

/// The number of the first coefficient of a cosine or sine transform.
double first_number(line_kind kind) {
  switch (kind) {
    case line_kind::dct1:
    case line_kind::dct2: return 0;
    case line_kind::dst1:
    case line_kind::dst2: return 1;
    default: return 0.5;
  }
}

double unit_of(line_kind kind, const std::vector<double>& lengths, std::size_t axis) {
  if (lengths.empty()) return 1;
  const double length = lengths[axis];
  if (!(length > 0) || !std::isfinite(length)) {
    throw argument_error("length " + std::to_string(length) + " of axis " + std::to_string(axis) +
                         "; lengths are positive");
  }
  return (core::is_trigonometric(kind) ? 1 : 2) * std::numbers::pi / length;
}

}  // namespace

double modes_along::number(integer index) const {
  const auto at = static_cast<double>(index);
  if (!is_transformed()) return 0;
  if (core::is_trigonometric(kind)) return first_number(kind) + at;
  return 2 * index < kept || is_middle(index) ? at : at - static_cast<double>(kept);
}

bool modes_along::is_middle(integer index) const {
  // Of a complex field on more points it is the mode -kept/2, and no other.
  return core::is_fourier(kind) && 2 * index == kept && (kept == points || real);
}

double modes_along::weight(integer index) const {
  switch (kind) {
    case line_kind::none: return 1;
    case line_kind::dct1: return index == 0 || index == points - 1 ? 1 : 2;
    case line_kind::dct2: return index == 0 ? 1 : 2;
    case line_kind::dst2: return index == points - 1 ? 1 : 2;
    default: break;
  }
  if (core::is_trigonometric(kind)) return 2;
  if (is_middle(index)) return kept == points ? 1 : 0;  // a real field on more points has no such mode
  return kind == line_kind::r2c && index != 0 ? 2 : 1;
}

double modes_along::largest() const {
  if (!is_transformed()) return 0;
  if (core::is_trigonometric(kind)) return unit * number(std::max<integer>(kept, 1) - 1);
  return unit * std::floor(0.5 * static_cast<double>(kept));
}

std::vector<modes_along> modes_of(const plan& of, const std::vector<double>& lengths) {
  const problem& what = of.what();
  if (!lengths.empty() && lengths.size() != what.shape.size()) {
    throw argument_error(std::to_string(lengths.size()) + " lengths for " + std::to_string(what.shape.size()) +
                         " axes; pass one for each, or none");
  }
  if (!what.input_box.low.empty() || !what.output_box.low.empty()) {
    throw argument_error(
        "an input or output box: wavenumbers, spectra and derivatives are those of plans of whole arrays");
  }
  const auto kinds = planner::kinds_of(what);
  std::vector<modes_along> axes;
  for (std::size_t l = 0; l < kinds.size(); ++l) {
    axes.push_back({kinds[l], what.shape[l], what.modes.empty() ? what.shape[l] : what.modes[l],
                    core::real_axis(kinds) >= 0, unit_of(kinds[l], lengths, l)});
  }
  return axes;
}

double norm_of(const std::vector<modes_along>& axes, normalization scaling) {
  double size = 1, untouched = 1;
  for (const auto& a : axes) {
    if (a.is_transformed()) {
      size *= static_cast<double>(core::row_of(a.kind).logical_size(a.points));
    } else {
      untouched *= static_cast<double>(a.points);
    }
    if (a.points == 0) return 0;
  }
  const double forward = scaling == normalization::forward ? 1 / size
                         : scaling == normalization::ortho ? 1 / std::sqrt(size)
                                                           : 1;
  return 1 / (forward * forward * size * size * untouched);
}

/// All digits, for ranks to compare.
std::string text_of(std::span<const double> numbers) {
  std::string text;
  for (const double x : numbers) {
    std::array<char, 32> digits{};
    (void)std::snprintf(digits.data(), digits.size(), "%.17g ", x);
    text += digits.data();
  }
  return text;
}

}  // namespace weft::facade
