// SPDX-License-Identifier: BSD-3-Clause
// Fields that are sums of the plane waves inside a sphere, as density-functional codes have them.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace [[gnu::visibility("default")]] weft {

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
      : bands_(bands) {
    check(shape, radii);
    int ranks = 1;
    MPI_Comm_size(on, &ranks);
    for (std::size_t l = 0; l < 3; ++l) modes_[l] = 2 * most(radii[l]) + 1;
    find_columns(radii, ranks);
    how.scaling = normalization::forward;
    how.in_place = false;
    how.grid = "auto";
    how.input_layout = how.output_layout = {};
    const std::string over = "@" + std::to_string(ranks);
    const auto columns = static_cast<integer>(columns_.size());
    along_ = c2c<Real>({.shape = {columns, shape[2]},
                        .axes = {1},
                        .modes = {columns, modes_[2]},
                        .batch = bands,
                        .in = "[* b0]" + over,
                        .out = "[c0 *]" + over},
                       on, how);
    across_ = c2c<Real>({.shape = shape,
                         .axes = {0, 1},
                         .modes = {modes_[0], modes_[1], shape[2]},
                         .batch = bands,
                         .in = "[* * b0]" + over,
                         .out = "[* * b0]" + over},
                        on, how);
    planes_.emplace(across_.make_output());
    lines_.emplace(along_.make_input());
    kept_.emplace(along_.make_output());
    for (integer c = along_.rank(); c < columns; c += ranks) {
      const column& here = columns_[static_cast<std::size_t>(c)];
      mine_.push_back(here);
      for (integer j = 0; j < 2 * here.highest + 1; ++j) {
        waves_.push_back({here.first, here.second, j <= here.highest ? j : j - 2 * here.highest - 1});
      }
    }
  }

  /// This rank's waves. It has their coefficients in the same order, band after band.
  [[nodiscard]] const std::vector<wave>& waves() const { return waves_; }
  [[nodiscard]] integer coefficients() const { return bands_ * static_cast<integer>(waves_.size()); }
  [[nodiscard]] integer columns() const { return static_cast<integer>(columns_.size()); }

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
  struct column {
    integer first = 0, second = 0;  // its numbers
    integer highest = 0;            // it has -highest to highest
  };

  static integer most(double radius) { return static_cast<integer>(std::floor(radius)); }

  static void check(const extents& shape, const std::vector<double>& radii) {
    if (shape.size() != 3 || radii.size() != 3) {
      throw argument_error("plane waves are those of three axes; there are " + std::to_string(shape.size()) +
                           " extents and " + std::to_string(radii.size()) + " radii");
    }
    for (std::size_t l = 0; l < 3; ++l) {
      if (!(radii[l] > 0) || !(2 * radii[l] < static_cast<double>(shape[l]))) {
        throw argument_error("radius " + std::to_string(radii[l]) + " of axis " + std::to_string(l) +
                             ": use more than 0 and less than half of the extent, which is " +
                             std::to_string(shape[l]) + ", so that waves differ on the grid");
      }
    }
  }

  /// By length, the longest first, dealt to and fro: column i is rank i mod ranks's.
  void find_columns(const std::vector<double>& radii, int ranks) {
    std::vector<column> all;
    for (integer i = 0; i < modes_[0]; ++i) {
      for (integer j = 0; j < modes_[1]; ++j) {
        const integer a = i <= most(radii[0]) ? i : i - modes_[0], b = j <= most(radii[1]) ? j : j - modes_[1];
        const double x = static_cast<double>(a) / radii[0], y = static_cast<double>(b) / radii[1];
        const double rest = 1 - x * x - y * y;
        // Waves on the surface are inside, whatever their squares are rounded to.
        constexpr double slack = 1e-12;
        if (rest < -slack) continue;
        const integer highest = most(radii[2] * (std::sqrt(std::max(0.0, rest)) + slack));
        all.push_back({a, b, std::min(highest, most(radii[2]))});
      }
    }
    std::ranges::stable_sort(all, std::ranges::greater(), &column::highest);
    const auto round = static_cast<std::size_t>(ranks);
    for (std::size_t i = round; i + round <= all.size(); i += 2 * round) {
      std::reverse(all.begin() + static_cast<std::ptrdiff_t>(i), all.begin() + static_cast<std::ptrdiff_t>(i + round));
    }
    columns_ = std::move(all);
  }

  void require_room(std::size_t size, const plan& next) const {
    const auto needed = static_cast<std::size_t>(coefficients());
    if (size == needed) return;
    next.refuse(buffer_error("there is room for " + std::to_string(size) + " coefficients of plane waves, rank " +
                             std::to_string(along_.rank()) + " has " + std::to_string(needed)));
  }

  /// visit(where elements lie among the kept ones, which coefficient comes first, how many).
  template <class Visit>
  void each_part(const Visit& visit) {
    value* part = kept_->data();
    integer at = 0;
    for (integer b = 0; b < bands_; ++b) {
      for (const column& here : mine_) {
        visit(part, at, here.highest + 1);
        visit(part + modes_[2] - here.highest, at + here.highest + 1, here.highest);
        at += 2 * here.highest + 1;
        part += modes_[2];
      }
    }
  }

  /// visit(a column's line, the same elements of the planes, how many).
  template <class Visit>
  void each_line(const Visit& visit) {
    const integer here = lines_->local_shape()[1];
    value* line = lines_->data();
    value* planes = planes_->data();
    for (integer b = 0; b < bands_; ++b) {
      for (const column& c : columns_) {
        const integer i = c.first < 0 ? c.first + modes_[0] : c.first,
                      j = c.second < 0 ? c.second + modes_[1] : c.second;
        visit(line, planes + (i * modes_[1] + j) * here, here);
        line += here;
      }
      planes += modes_[0] * modes_[1] * here;
    }
  }

  integer bands_;
  std::array<integer, 3> modes_{};  // of a box around the waves
  std::vector<column> columns_, mine_;
  std::vector<wave> waves_;
  c2c<Real> along_, across_;  // the last axis of columns, the others of planes
  std::optional<array<value>> planes_, lines_, kept_;
};

}  // namespace weft
