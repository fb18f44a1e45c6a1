// SPDX-License-Identifier: BSD-3-Clause
// Fields that are sums of the plane waves inside a sphere, as density-functional codes have them.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <complex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace [[gnu::visibility("default")]] weft {

namespace detail {

/// The waves with the same numbers along the first two axes.
struct wave_column {
  integer first = 0, second = 0;
  integer highest = 0;  ///< along the last axis it has -highest to highest
};

struct wave_columns {
  int ranks = 1;
  std::array<integer, 3> modes{};             ///< of a box around the waves
  std::vector<wave_column> all;               ///< column i is that of rank i mod ranks
  std::vector<wave_column> mine;              ///< this rank's
  std::vector<std::array<integer, 3>> waves;  ///< in them
};

/// Collective: throws the same error on all ranks unless all pass the same, and radii that fit the shape.
[[nodiscard]] wave_columns columns_of(const extents& shape, const std::vector<double>& radii, const options& how,
                                      MPI_Comm on);

}  // namespace detail

/// The waves of a three-dimensional grid whose numbers k, from -n/2 to n/2 along each axis, lie in an ellipsoid: the
/// sum of (k/radius)^2 is at most 1. Those with the same k along the first two axes are a column, and a rank has whole
/// columns, so that all ranks have as many, give or take one, and about as many waves. Lines of zeros are neither
/// transformed nor sent: only columns are transformed along the last axis and travel, and then planes are filled up.
template <class Real>
class plane_waves {
 public:
  using value = std::complex<Real>;
  using wave = std::array<integer, 3>;  ///< its numbers

  /// Of `bands` fields together. Collective, as all below; all ranks pass the same. How to scale and the layouts are
  /// not options here.
  plane_waves(const extents& shape, const std::vector<double>& radii, MPI_Comm on, options how = {}, integer bands = 1)
      : bands_(bands), columns_(detail::columns_of(shape, radii, how, on)) {
    how.scaling = normalization::forward;
    how.in_place = false;
    how.grid = "auto";
    how.input_layout = how.output_layout = {};
    // What lies outside the ellipsoid is dropped from the columns, and what is left must be within the tolerance. Plans
    // see to that where they drop modes themselves.
    if (columns_.modes[2] == shape[2]) how.message_tolerance = 0;
    const std::string over = "@" + std::to_string(columns_.ranks);
    along_ = c2c<Real>({.shape = {columns(), shape[2]},
                        .axes = {1},
                        .modes = {columns(), columns_.modes[2]},
                        .batch = bands,
                        .in = "[* b0]" + over,
                        .out = "[c0 *]" + over},
                       on, how);
    across_ = c2c<Real>({.shape = shape,
                         .axes = {0, 1},
                         .modes = {columns_.modes[0], columns_.modes[1], shape[2]},
                         .batch = bands,
                         .in = "[* * b0]" + over,
                         .out = "[* * b0]" + over},
                        on, how);
    planes_.emplace(across_.make_output());
    lines_.emplace(along_.make_input());
    kept_.emplace(along_.make_output());
  }

  /// This rank's waves. It has their coefficients in the same order, band after band.
  [[nodiscard]] const std::vector<wave>& waves() const { return columns_.waves; }
  [[nodiscard]] integer coefficients() const { return bands_ * static_cast<integer>(columns_.waves.size()); }
  [[nodiscard]] integer columns() const { return static_cast<integer>(columns_.all.size()); }

  /// Zeros. Its planes of the last axis lie in blocks over the ranks.
  [[nodiscard]] array<value> make_field() const { return across_.make_input(); }

  /// field(x) = sum of c(k) exp(2 pi i (k0 x0 / n0 + k1 x1 / n1 + k2 x2 / n2)).
  void to_field(std::span<const value> c, array<value>& field) {
    require_room(c.size(), along_);
    std::ranges::fill(kept_->span(), value());
    each_part([&](value* part, integer at, integer count) { std::copy_n(c.begin() + at, count, part); });
    along_.backward(*kept_, *lines_);
    std::ranges::fill(planes_->span(), value());
    each_line([](value* line, value* plane, integer count) { std::copy_n(line, count, plane); });
    across_.backward(*planes_, field);
  }
  /// The other way: the coefficients of a field's waves. What else it has is lost.
  void to_waves(const array<value>& field, std::span<value> c) {
    require_room(c.size(), across_);
    across_.forward(field, *planes_);
    each_line([](value* line, value* plane, integer count) { std::copy_n(plane, count, line); });
    along_.forward(*lines_, *kept_);
    each_part([&](value* part, integer at, integer count) { std::copy_n(part, count, c.begin() + at); });
  }

  /// Of the plan that moves data: columns in, planes out.
  [[nodiscard]] const plan_report& report() const { return along_.report(); }

 private:
  void require_room(std::size_t size, const plan& next) const {
    const auto needed = static_cast<std::size_t>(coefficients());
    if (size == needed) return;
    next.refuse(buffer_error("there is room for " + std::to_string(size) + " coefficients of plane waves, rank " +
                             std::to_string(along_.rank()) + " has " + std::to_string(needed)));
  }

  /// visit(where elements lie among the kept ones, which coefficient comes first, how many).
  template <class Visit>
  void each_part(const Visit& visit) {
    const auto& modes = columns_.modes;
    value* part = kept_->data();
    integer at = 0;
    for (integer b = 0; b < bands_; ++b) {
      for (const detail::wave_column& here : columns_.mine) {
        visit(part, at, here.highest + 1);
        visit(part + modes[2] - here.highest, at + here.highest + 1, here.highest);
        at += 2 * here.highest + 1;
        part += modes[2];
      }
    }
  }

  /// visit(a column's line, the same elements of the planes, how many).
  template <class Visit>
  void each_line(const Visit& visit) {
    const auto& modes = columns_.modes;
    const integer here = lines_->local_shape()[1];
    value* line = lines_->data();
    value* planes = planes_->data();
    for (integer b = 0; b < bands_; ++b) {
      for (const detail::wave_column& c : columns_.all) {
        const integer i = c.first < 0 ? c.first + modes[0] : c.first, j = c.second < 0 ? c.second + modes[1] : c.second;
        visit(line, planes + (i * modes[1] + j) * here, here);
        line += here;
      }
      planes += modes[0] * modes[1] * here;
    }
  }

  integer bands_;
  detail::wave_columns columns_;
  c2c<Real> along_, across_;  // the last axis of columns, the others of planes
  std::optional<array<value>> planes_, lines_, kept_;
};

}  // namespace weft
