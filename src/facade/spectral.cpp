// SPDX-License-Identifier: BSD-3-Clause
#include "weft/spectral.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <numeric>

#include "facade/call.hpp"
#include "facade/plan_internals.hpp"
#include "mpi/agreement.hpp"
#include "planner/resolve.hpp"
#include "weft/error.hpp"

namespace weft {

namespace {

/// What is known along one axis.
struct along_axis {
  integer extent = 0;  // of the field that has no more modes than are kept
  bool transformed = false;
  bool halved = false;
  double unit = 0;                                        // the smallest wavenumber but zero
  std::vector<double> even = {}, odd = {}, weights = {};  // by local position

  [[nodiscard]] integer number_of(integer index) const {
    return !transformed ? 0 : 2 * index <= extent ? index : index - extent;
  }
  [[nodiscard]] bool is_middle(integer index) const { return transformed && 2 * index == extent; }
  [[nodiscard]] double weight_of(integer index) const { return halved && index != 0 && !is_middle(index) ? 2 : 1; }
  [[nodiscard]] double largest() const {
    return transformed ? unit * std::floor(0.5 * static_cast<double>(extent)) : 0;
  }
};

/// What each axis becomes: Fourier transforms only, whose modes have wavenumbers.
std::vector<core::line_kind> fourier_kinds(const problem& what) {
  auto kinds = planner::kinds_of(what);
  if (std::ranges::any_of(kinds, core::is_trigonometric)) {
    throw argument_error("kinds " + to_text(kinds) + ": wavenumbers, spectra and derivatives are those of c2c and r2c");
  }
  if (!what.modes.empty()) {
    throw argument_error("modes " + weft::to_text(what.modes) +
                         ": wavenumbers, spectra and derivatives are those of plans that keep all modes");
  }
  if (!what.input_box.low.empty() || !what.output_box.low.empty()) {
    throw argument_error(
        "an input or output box: wavenumbers, spectra and derivatives are those of plans of whole arrays");
  }
  return kinds;
}

/// What forward multiplies by, besides the plain sum, for n transformed elements.
double forward_factor(normalization scaling, double n) {
  if (scaling == normalization::forward) return 1 / n;
  return scaling == normalization::ortho ? 1 / std::sqrt(n) : 1;
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

}  // namespace

template <class Real>
struct spectral<Real>::state {
  mpi::communicator on;
  distribution how;
  std::vector<along_axis> axes;
  std::vector<std::size_t> components;  // the axis of each component of a vector
  double norm = 0;                      // |mode|^2 times this is its part of the mean square

  using element = std::complex<Real>;

  state(const plan& of, const std::vector<double>& lengths)
      : on(detail::plan_internals::ranks_of(of)), how(of.output()) {
    const problem& what = of.what();
    if (what.element != detail::precision_of<Real>()) {
      throw argument_error("the plan's elements have another precision than spectral<float or double>");
    }
    if (!lengths.empty() && lengths.size() != what.shape.size()) {
      throw argument_error(std::to_string(lengths.size()) + " lengths for " + std::to_string(what.shape.size()) +
                           " axes; pass one for each, or none");
    }
    const auto kinds = fourier_kinds(what);
    double n = 1, untouched = 1;
    for (std::size_t l = 0; l < what.shape.size(); ++l) {
      const double length = lengths.empty() ? 2 * std::numbers::pi : lengths[l];
      if (!(length > 0) || !std::isfinite(length)) {
        throw argument_error("length " + std::to_string(length) + " of axis " + std::to_string(l) +
                             "; lengths are positive");
      }
      const bool transformed = kinds[l] != core::line_kind::none;
      (transformed ? n : untouched) *= static_cast<double>(what.shape[l]);
      axes.push_back({what.modes.empty() ? what.shape[l] : what.modes[l], transformed, kinds[l] == core::line_kind::r2c,
                      2 * std::numbers::pi / length});
      if (transformed) components.push_back(l);
      find_local(axes.back(), how.part(on.rank(), static_cast<int>(l)));
    }
    const double factor = forward_factor(of.how().scaling, n);
    norm = n * untouched > 0 ? 1 / (factor * factor * n * n * untouched) : 0;
  }

  static void find_local(along_axis& a, const axis_part& part) {
    const integer extent = count(part);
    for (integer k = 0; k < extent; ++k) {
      const integer index = index_at(part, k);
      a.even.push_back(a.unit * static_cast<double>(a.number_of(index)));
      a.odd.push_back(a.is_middle(index) ? 0 : a.even.back());
      a.weights.push_back(a.weight_of(index));
    }
  }

  [[nodiscard]] const along_axis& axis(int number) const {
    detail::require_below("axis", number, how.axes());
    return axes[static_cast<std::size_t>(number)];
  }

  void check(const modes& f, const char* which) const {
    if (f.how() == how && f.rank() == on.rank()) return;
    throw buffer_error(std::string(which) + " array is distributed as " + f.how().text() + " of " +
                       to_text(f.how().shape()) + " for rank " + std::to_string(f.rank()) + ", the plan's modes as " +
                       how.text() + " of " + to_text(how.shape()) + " for rank " + std::to_string(on.rank()));
  }

  /// Rows of local modes along the last axis: visit(positions along the others).
  template <class Visit>
  void each_row(const Visit& visit) const {
    const std::size_t d = axes.size();
    std::array<std::size_t, max_axes> position{};
    for (const auto& a : axes) {
      if (a.even.empty()) return;
    }
    for (;;) {
      visit(position);
      std::size_t l = d - 1;
      while (l > 0 && ++position[l - 1] == axes[l - 1].even.size()) position[--l] = 0;
      if (l == 0) return;
    }
  }

  /// Where a row starts in array `component` of a batch, and its step.
  template <class Element>
  struct row {
    Element* first;
    integer step;
    row(Element* data, const layout& where, std::size_t d, integer component,
        const std::array<std::size_t, max_axes>& position) {
      const auto strides = std::span(where.strides).last(d);
      first = data + where.offset + (where.strides.size() > d ? component * where.strides[0] : 0);
      for (std::size_t l = 0; l + 1 < d; ++l) first += static_cast<integer>(position[l]) * strides[l];
      step = strides[d - 1];
    }
  };

  /// Calls function(wavenumbers for even derivatives, for odd ones, values, results) for every mode and every `ins`
  /// arrays of the batch, of which `outs` are made. All values of a mode are read before any result is written.
  template <class Function>
  void transform(const modes& in, modes& out, std::size_t ins, std::size_t outs, const Function& function) const {
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
    const auto& last = axes[d - 1];
    each_row([&](const auto& position) {
      std::array<double, max_axes> even{}, odd{};
      for (std::size_t l = 0; l + 1 < d; ++l) {
        even[l] = axes[l].even[position[l]];
        odd[l] = axes[l].odd[position[l]];
      }
      for (integer g = 0; g < groups; ++g) {
        std::array<const element*, max_axes> from{};
        std::array<element*, max_axes> to{};
        integer from_step = 0, to_step = 0;
        for (std::size_t c = 0; c < ins; ++c) {
          const row<const element> r(in.data(), in.local_layout(), d,
                                     g * static_cast<integer>(ins) + static_cast<integer>(c), position);
          from[c] = r.first;
          from_step = r.step;
        }
        for (std::size_t c = 0; c < outs; ++c) {
          const row<element> r(out.data(), out.local_layout(), d,
                               g * static_cast<integer>(outs) + static_cast<integer>(c), position);
          to[c] = r.first;
          to_step = r.step;
        }
        std::array<element, max_axes> values{}, results{};
        for (std::size_t j = 0; j < last.even.size(); ++j) {
          even[d - 1] = last.even[j];
          odd[d - 1] = last.odd[j];
          for (std::size_t c = 0; c < ins; ++c) values[c] = from[c][static_cast<integer>(j) * from_step];
          function(even, odd, values, results);
          for (std::size_t c = 0; c < outs; ++c) to[c][static_cast<integer>(j) * to_step] = results[c];
        }
      }
    });
  }

  /// i k times a value.
  static element turned(double k, const element& v) {
    const auto by = static_cast<Real>(k);
    return {-by * v.imag(), by * v.real()};
  }
  [[nodiscard]] double square(const std::array<double, max_axes>& k) const {
    double sum = 0;
    for (const std::size_t l : components) sum += k[l] * k[l];
    return sum;
  }

  /// Calls visit(|k|^2, weight times |mode|^2 times norm, weight, number of the array) for every mode.
  template <class Visit>
  void each_power(const modes& f, const Visit& visit) const {
    const std::size_t d = axes.size();
    const auto& last = axes[d - 1];
    for (integer b = 0; b < f.batch(); ++b) {
      each_row([&](const auto& position) {
        double k2 = 0, weight = 1;
        for (std::size_t l = 0; l + 1 < d; ++l) {
          k2 += axes[l].even[position[l]] * axes[l].even[position[l]];
          weight *= axes[l].weights[position[l]];
        }
        const row<const element> r(f.data(), f.local_layout(), d, b, position);
        for (std::size_t j = 0; j < last.even.size(); ++j) {
          const std::complex<double> value(r.first[static_cast<integer>(j) * r.step]);
          const double times = weight * last.weights[j];
          visit(k2 + last.even[j] * last.even[j], times * norm * std::norm(value), times, b);
        }
      });
    }
  }
};

template <class Real>
spectral<Real>::spectral(const plan& of, const std::vector<double>& lengths) {
  const auto& on = detail::plan_internals::ranks_of(of);
  mpi::require_same(on, {{"lengths", text_of(lengths)}});
  mpi::agree(on, [&] { state_ = std::make_shared<const state>(of, lengths); });
}

template <class Real>
double spectral<Real>::wavenumber(int axis, integer index) const {
  const auto& a = state_->axis(axis);
  detail::require_below("index", index, state_->how.shape()[static_cast<std::size_t>(axis)]);
  return a.unit * static_cast<double>(a.number_of(index));
}

template <class Real>
double spectral<Real>::odd_wavenumber(int axis, integer index) const {
  return state_->axis(axis).is_middle(index) ? 0 : wavenumber(axis, index);
}

template <class Real>
const std::vector<double>& spectral<Real>::wavenumbers(int axis) const {
  return state_->axis(axis).even;
}

template <class Real>
const std::vector<double>& spectral<Real>::odd_wavenumbers(int axis) const {
  return state_->axis(axis).odd;
}

template <class Real>
const std::vector<double>& spectral<Real>::weights(int axis) const {
  return state_->axis(axis).weights;
}

template <class Real>
std::vector<double> spectral<Real>::mean_squares(const modes& f) const {
  std::vector<double> sums;
  mpi::require_same(state_->on, {{"batch", std::to_string(f.batch())}});
  mpi::agree(state_->on, [&] {
    state_->check(f, "input");
    sums.assign(static_cast<std::size_t>(f.batch()), 0);
    state_->each_power(f, [&](double, double power, double, integer b) { sums[static_cast<std::size_t>(b)] += power; });
  });
  mpi::sum(state_->on, sums);
  return sums;
}

template <class Real>
std::vector<shell> spectral<Real>::spectrum(const modes& f, double width) const {
  const auto& s = *state_;
  std::vector<double> sums;
  std::size_t shells = 0;
  mpi::require_same(s.on, {{"batch", std::to_string(f.batch())}, {"width of shells", text_of({&width, 1})}});
  mpi::agree(s.on, [&] {
    s.check(f, "input");
    if (!(width >= 0) || !std::isfinite(width)) {
      throw argument_error("shells are " + std::to_string(width) + " wide; use a positive width, or 0 for the usual");
    }
    double largest = 0, unit = s.axes[s.components.front()].unit;
    for (const std::size_t l : s.components) {
      largest = std::hypot(largest, s.axes[l].largest());
      unit = std::min(unit, s.axes[l].unit);
    }
    if (width == 0) width = unit;
    shells = static_cast<std::size_t>(std::floor(largest / width + 0.5)) + 1;
    sums.assign(3 * shells, 0);
    s.each_power(f, [&](double k2, double power, double weight, integer b) {
      const double k = std::sqrt(k2);
      const auto at = 3 * std::min(shells - 1, static_cast<std::size_t>(std::floor(k / width + 0.5)));
      sums[at] += power;
      if (b != 0) return;
      sums[at + 1] += weight;
      sums[at + 2] += weight * k;
    });
  });
  mpi::sum(s.on, sums);
  std::vector<shell> found(shells);
  for (std::size_t i = 0; i < shells; ++i) {
    const double count = sums[3 * i + 1];
    found[i] = {count > 0 ? sums[3 * i + 2] / count : static_cast<double>(i) * width, sums[3 * i], count};
  }
  return found;
}

template <class Real>
void spectral<Real>::derivative(const modes& f, modes& result, int axis) const {
  const auto& s = *state_;
  mpi::agree(s.on, [&] {
    if (!s.axis(axis).transformed) {
      throw argument_error("axis " + std::to_string(axis) + " is not transformed: its derivative is not in the modes");
    }
  });
  const auto l = static_cast<std::size_t>(axis);
  s.transform(f, result, 1, 1,
              [&](const auto&, const auto& odd, const auto& in, auto& out) { out[0] = s.turned(odd[l], in[0]); });
}

template <class Real>
void spectral<Real>::gradient(const modes& f, modes& result) const {
  const auto& s = *state_;
  s.transform(f, result, 1, s.components.size(), [&](const auto&, const auto& odd, const auto& in, auto& out) {
    for (std::size_t c = 0; c < s.components.size(); ++c) out[c] = s.turned(odd[s.components[c]], in[0]);
  });
}

template <class Real>
void spectral<Real>::divergence(const modes& f, modes& result) const {
  const auto& s = *state_;
  s.transform(f, result, s.components.size(), 1, [&](const auto&, const auto& odd, const auto& in, auto& out) {
    out[0] = 0;
    for (std::size_t c = 0; c < s.components.size(); ++c) out[0] += s.turned(odd[s.components[c]], in[c]);
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
  });
  if (c.size() == 2) {
    s.transform(f, result, 2, 1, [&](const auto&, const auto& odd, const auto& in, auto& out) {
      out[0] = s.turned(odd[c[0]], in[1]) - s.turned(odd[c[1]], in[0]);
    });
    return;
  }
  s.transform(f, result, 3, 3, [&](const auto&, const auto& odd, const auto& in, auto& out) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      out[i] = s.turned(odd[c[j]], in[k]) - s.turned(odd[c[k]], in[j]);
    }
  });
}

template <class Real>
void spectral<Real>::laplacian(const modes& f, modes& result) const {
  const auto& s = *state_;
  s.transform(f, result, 1, 1, [&](const auto& even, const auto&, const auto& in, auto& out) {
    out[0] = in[0] * static_cast<Real>(-s.square(even));
  });
}

template <class Real>
void spectral<Real>::poisson(const modes& f, modes& result) const {
  const auto& s = *state_;
  s.transform(f, result, 1, 1, [&](const auto& even, const auto&, const auto& in, auto& out) {
    const double k2 = s.square(even);
    out[0] = k2 > 0 ? in[0] * static_cast<Real>(-1 / k2) : std::complex<Real>{};
  });
}

template class spectral<float>;
template class spectral<double>;

}  // namespace weft
