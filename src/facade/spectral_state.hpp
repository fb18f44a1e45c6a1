// SPDX-License-Identifier: BSD-3-Clause
// What weft::spectral is made of: what the axes mean, and one loop over a rank's modes for each sort of question.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "facade/call.hpp"
#include "facade/mode_rows.hpp"
#include "facade/plan_internals.hpp"
#include "facade/spectral_axes.hpp"
#include "mpi/agreement.hpp"
#include "weft/error.hpp"
#include "weft/spectral.hpp"

namespace weft {

namespace facade {

/// Of one mode.
using wave_vector = std::array<double, max_axes>;

}  // namespace facade

template <class Real>
struct spectral<Real>::state {
  /// By local position.
  struct mine {
    std::vector<double> even, odd, weights;
  };

  mpi::communicator on;
  distribution how;
  std::vector<facade::modes_along> axes;
  std::vector<mine> local;  // along each axis
  extents shape;            // local
  bool real = false;
  std::vector<std::size_t> components;  // the axis of each component of a vector
  double norm = 0;                      // |mode|^2 times this and its weight is its part of the mean square

  state(const plan& of, const std::vector<double>& lengths)
      : on(detail::plan_internals::ranks_of(of)),
        how(of.output()),
        shape(how.local_shape(on.rank())),
        real(of.what().kind == transform_kind::r2r) {
    if (of.what().element != detail::precision_of<Real>()) {
      throw argument_error("the plan's elements have another precision than spectral<float or double>");
    }
    axes = facade::modes_of(of, lengths);
    norm = facade::norm_of(axes, of.how().scaling);
    for (std::size_t l = 0; l < axes.size(); ++l) {
      if (axes[l].is_transformed()) components.push_back(l);
      find_local(axes[l], how.part(on.rank(), static_cast<int>(l)));
    }
  }

  void find_local(const facade::modes_along& along, const axis_part& part) {
    mine& m = local.emplace_back();
    const integer extent = count(part);
    for (integer k = 0; k < extent; ++k) {
      const integer index = index_at(part, k);
      m.even.push_back(along.unit * along.number(index));
      m.odd.push_back(along.is_middle(index) ? 0 : m.even.back());
      m.weights.push_back(along.weight(index));
    }
  }

  [[nodiscard]] std::size_t axis(int number) const {
    detail::require_below("axis", number, how.axes());
    return static_cast<std::size_t>(number);
  }

  /// Whether first derivatives along these axes are modes of the same kind.
  void require_derivatives(std::span<const std::size_t> along) const {
    for (const std::size_t l : along) {
      const auto kind = axes[l].kind;
      if (kind == core::line_kind::none) {
        throw argument_error("axis " + std::to_string(l) + " is not transformed: its derivative is not in the modes");
      }
      if (!axes[l].has_derivatives()) {
        throw argument_error(
            "axis " + std::to_string(l) + " is " + std::string(core::user_name(kind)) +
            ": first derivatives of cosines are sines and the other way round, which this plan has not; "
            "multiply by wavenumbers() and transform back by a plan of the other kind");
      }
    }
  }

  template <class Element>
  void check(const array<Element>& f, const char* which) const {
    if (std::is_floating_point_v<Element> != real) {
      throw buffer_error(std::string(which) + " array has " + (real ? "complex" : "real") +
                         " elements, the plan's modes are " + (real ? "real" : "complex"));
    }
    if (f.how() == how && f.rank() == on.rank()) return;
    throw buffer_error(std::string(which) + " array is distributed as " + f.how().text() + " of " +
                       to_text(f.how().shape()) + " for rank " + std::to_string(f.rank()) + ", the plan's modes as " +
                       how.text() + " of " + to_text(how.shape()) + " for rank " + std::to_string(on.rank()));
  }

  /// Calls function(wavenumbers for even derivatives, for odd ones, values, results) for every mode and every `ins`
  /// arrays of the batch, of which `outs` are made. All values of a mode are read before any result is written.
  template <class Element, class Function>
  void transform(const array<Element>& in, array<Element>& out, std::size_t ins, std::size_t outs,
                 const Function& function) const {
    (void)facade::agree_on_call(on, [&] {
      check(in, "input");
      check(out, "output");
      if (ins == 0 || in.batch() % static_cast<integer>(ins) != 0 ||
          in.batch() / static_cast<integer>(ins) * static_cast<integer>(outs) != out.batch()) {
        throw argument_error("a batch of " + std::to_string(in.batch()) + " becomes one of " +
                             std::to_string(out.batch()) + "; it should be " + std::to_string(outs) + " for every " +
                             std::to_string(ins));
      }
      if (in.data() == out.data() && in.size() > 0 &&
          (ins != outs || !same_addresses(in.local_layout(), out.local_layout(), in.local_shape()))) {
        throw buffer_error("input and output are the same memory, but not the same batch and layout");
      }
    });
    const std::size_t d = axes.size();
    const integer groups = in.batch() / static_cast<integer>(ins);
    const mine& last = local[d - 1];
    facade::each_row(shape, [&](const facade::row_position& position) {
      facade::wave_vector even{}, odd{};
      for (std::size_t l = 0; l + 1 < d; ++l) {
        even[l] = local[l].even[position[l]];
        odd[l] = local[l].odd[position[l]];
      }
      std::array<facade::mode_row<const Element>, max_axes> from;
      std::array<facade::mode_row<Element>, max_axes> to;
      std::array<Element, max_axes> values{}, results{};
      for (integer g = 0; g < groups; ++g) {
        const auto number = [&](std::size_t of, std::size_t c) {
          return g * static_cast<integer>(of) + static_cast<integer>(c);
        };
        for (std::size_t c = 0; c < ins; ++c) from[c] = {in.data(), in.local_layout(), d, number(ins, c), position};
        for (std::size_t c = 0; c < outs; ++c) to[c] = {out.data(), out.local_layout(), d, number(outs, c), position};
        for (std::size_t j = 0; j < last.even.size(); ++j) {
          even[d - 1] = last.even[j];
          odd[d - 1] = last.odd[j];
          for (std::size_t c = 0; c < ins; ++c) values[c] = from[c][j];
          function(even, odd, values, results);
          for (std::size_t c = 0; c < outs; ++c) to[c][j] = results[c];
        }
      }
    });
  }

  [[nodiscard]] double square(const facade::wave_vector& k) const {
    double sum = 0;
    for (const std::size_t l : components) sum += k[l] * k[l];
    return sum;
  }

  /// Calls visit(|k|^2, weight times |mode|^2 times norm, weight, number of the array) for every mode.
  template <class Element, class Visit>
  void each_power(const array<Element>& f, const Visit& visit) const {
    const std::size_t d = axes.size();
    const mine& last = local[d - 1];
    for (integer b = 0; b < f.batch(); ++b) {
      facade::each_row(shape, [&](const facade::row_position& position) {
        double k2 = 0, weight = 1;
        for (std::size_t l = 0; l + 1 < d; ++l) {
          k2 += local[l].even[position[l]] * local[l].even[position[l]];
          weight *= local[l].weights[position[l]];
        }
        const facade::mode_row<const Element> r(f.data(), f.local_layout(), d, b, position);
        for (std::size_t j = 0; j < last.even.size(); ++j) {
          const double times = weight * last.weights[j];
          visit(k2 + last.even[j] * last.even[j], times * norm * std::norm(std::complex<double>(r[j])), times, b);
        }
      });
    }
  }

  template <class Element>
  [[nodiscard]] std::vector<double> mean_squares(const array<Element>& f) const {
    std::vector<double> sums;
    mpi::require_same(on, {{"batch", std::to_string(f.batch())}});
    mpi::agree(on, [&] {
      check(f, "input");
      sums.assign(static_cast<std::size_t>(f.batch()), 0);
      each_power(f, [&](double, double power, double, integer b) { sums[static_cast<std::size_t>(b)] += power; });
    });
    mpi::sum(on, sums);
    return sums;
  }

  template <class Element>
  [[nodiscard]] std::vector<shell> spectrum(const array<Element>& f, double width) const {
    std::vector<double> sums;
    std::size_t shells = 0;
    mpi::require_same(on, {{"batch", std::to_string(f.batch())}, {"width of shells", facade::text_of({&width, 1})}});
    mpi::agree(on, [&] {
      check(f, "input");
      if (!(width >= 0) || !std::isfinite(width)) {
        throw argument_error("shells are " + std::to_string(width) + " wide; use a positive width, or 0 for the usual");
      }
      double largest = 0, unit = axes[components.front()].unit;
      for (const std::size_t l : components) {
        largest = std::hypot(largest, axes[l].largest());
        unit = std::min(unit, axes[l].unit);
      }
      if (width == 0) width = unit;
      constexpr double most_shells = 1e8;
      if (largest / width > most_shells) {
        // Each number has a blank behind it.
        throw argument_error("wavenumbers go to " + facade::text_of({&largest, 1}) + "and shells are " +
                             facade::text_of({&width, 1}) + "wide; use wider ones, at most 1e8 are counted");
      }
      shells = static_cast<std::size_t>(std::floor(largest / width + 0.5)) + 1;
      sums.assign(3 * shells, 0);
      each_power(f, [&](double k2, double power, double weight, integer b) {
        const double k = std::sqrt(k2);
        const auto at = 3 * std::min(shells - 1, static_cast<std::size_t>(std::floor(k / width + 0.5)));
        sums[at] += power;
        if (b != 0) return;
        sums[at + 1] += weight;
        sums[at + 2] += weight * k;
      });
    });
    mpi::sum(on, sums);
    std::vector<shell> found(shells);
    for (std::size_t i = 0; i < shells; ++i) {
      const double count = sums[3 * i + 1];
      found[i] = {count > 0 ? sums[3 * i + 2] / count : static_cast<double>(i) * width, sums[3 * i], count};
    }
    return found;
  }

  template <class Element>
  void laplacian(const array<Element>& f, array<Element>& result) const {
    transform(f, result, 1, 1, [&](const auto& even, const auto&, const auto& in, auto& out) {
      out[0] = in[0] * static_cast<Real>(-square(even));
    });
  }

  template <class Element>
  void poisson(const array<Element>& f, array<Element>& result) const {
    transform(f, result, 1, 1, [&](const auto& even, const auto&, const auto& in, auto& out) {
      const double k2 = square(even);
      out[0] = k2 > 0 ? in[0] * static_cast<Real>(-1 / k2) : Element{};
    });
  }
};

}  // namespace weft
