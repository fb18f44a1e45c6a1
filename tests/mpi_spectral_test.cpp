// SPDX-License-Identifier: BSD-3-Clause
// Helpers on the modes of a plan, against the same computation on the whole field, all its modes and no ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mpi_support.hpp"
#include "property.hpp"
#include "weft/error.hpp"
#include "weft/spectral.hpp"

namespace weft::testing {
namespace {

using value = std::complex<double>;

/// Some whole fields, and their modes by definition, none left out.
struct whole {
  extents shape;
  std::vector<int> axes;  // transformed, rising
  std::vector<std::vector<value>> fields, modes;

  whole(const problem& p, integer count, dice d) : shape(p.shape), axes(axes_of(p)) {
    std::ranges::sort(axes);
    for (integer f = 0; f < count; ++f) {
      std::vector<value> field(at(volume(shape)));
      for (auto& v : field) v = {d.unit() - 0.5, p.kind == transform_kind::r2c ? 0 : d.unit() - 0.5};
      fields.push_back(field);
      for (const int axis : axes) field = transformed(field, axis);
      modes.push_back(std::move(field));
    }
  }
  [[nodiscard]] std::vector<value> transformed(const std::vector<value>& in, int axis) const {
    std::vector<value> out(in.size());
    const integer n = shape[at(axis)];
    integer inner = 1;
    for (std::size_t l = at(axis) + 1; l < shape.size(); ++l) inner *= shape[l];
    for (integer i = 0; i < static_cast<integer>(in.size()); ++i) {
      const integer k = i / inner % n;
      for (integer j = 0; j < n; ++j) {
        out[at(i)] += in[at(i + (j - k) * inner)] *
                      std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n));
      }
    }
    return out;
  }
  /// Of mode i along an axis, without its unit.
  [[nodiscard]] double number(const extents& index, int axis, bool odd) const {
    if (std::ranges::find(axes, axis) == axes.end()) return 0;
    const integer i = index[at(axis)], n = shape[at(axis)];
    if (2 * i == n) return odd ? 0 : static_cast<double>(i);
    return static_cast<double>(2 * i < n ? i : i - n);
  }
};

template <class Plan, class Real>
class helpers_check {
 public:
  helpers_check(const drawn& t, const whole& all, std::vector<double> lengths)
      : t_(t), all_(all), lengths_(std::move(lengths)), plan_(t.what, world(), t.how), helper_(plan_, lengths_) {}

  void check() {
    auto x = plan_.make_input();
    auto modes = t_.how.in_place ? plan_.make_output(x) : plan_.make_output();
    x.for_each([&](auto i, auto& v, integer b) {
      const value exact = all_.fields[at(b)][at(number_of(i, all_.shape))];
      if constexpr (std::is_floating_point_v<std::decay_t<decltype(v)>>) {
        v = static_cast<Real>(exact.real());
      } else {
        v = std::decay_t<decltype(v)>(exact);
      }
    });
    plan_.forward(x, modes);
    check_axes(modes);
    check_powers(modes);
    check_derivatives(modes);
  }

 private:
  using element = std::complex<Real>;
  using function = std::function<value(const extents&, integer)>;

  static integer number_of(std::span<const integer> i, const extents& shape) {
    return flat_index(extents(i.begin(), i.end()), shape);
  }
  [[nodiscard]] double unit(int axis) const { return lengths_.empty() ? 1 : 2 * std::numbers::pi / lengths_[at(axis)]; }
  [[nodiscard]] double k(const extents& i, int axis, bool odd) const { return all_.number(i, axis, odd) * unit(axis); }
  [[nodiscard]] double square(const extents& i) const {
    double sum = 0;
    for (const int a : all_.axes) sum += k(i, a, false) * k(i, a, false);
    return sum;
  }
  [[nodiscard]] value mode(const extents& i, integer b) const {
    return factor() * all_.modes[at(b)][at(flat_index(i, all_.shape))];
  }
  [[nodiscard]] value slope(const extents& i, integer b, int axis) const {
    return mode(i, b) * value(0, k(i, axis, true));
  }
  [[nodiscard]] double factor() const {
    double n = 1;
    for (const int a : all_.axes) n *= static_cast<double>(all_.shape[at(a)]);
    if (n == 0) return 1;
    return t_.how.scaling == normalization::forward ? 1 / n
           : t_.how.scaling == normalization::ortho ? 1 / std::sqrt(n)
                                                    : 1;
  }

  void expect(const array<element>& got, const function& wanted, const char* what) const {
    double largest = 1e-300;
    each_tuple(plan_.output().shape(), [&](const extents& i) {
      for (integer b = 0; b < got.batch(); ++b) largest = std::max(largest, std::abs(wanted(i, b)));
    });
    const double limit = (std::is_same_v<Real, float> ? 2e-4 : 1e-11) * largest;
    double most = 0;
    got.for_each([&](auto i, const element& v, integer b) {
      most = std::max(most, std::abs(value(v) - wanted(extents(i.begin(), i.end()), b)));
    });
    EXPECT_LE(most, limit) << what;
  }

  void check_axes(const array<element>& modes) const {
    for (int axis = 0; axis < static_cast<int>(all_.shape.size()); ++axis) {
      const auto& mine = modes.indices(axis);
      ASSERT_EQ(helper_.wavenumbers(axis).size(), mine.size());
      ASSERT_EQ(helper_.weights(axis).size(), mine.size());
      for (std::size_t p = 0; p < mine.size(); ++p) {
        extents index(all_.shape.size(), 0);
        index[at(axis)] = mine[p];
        EXPECT_DOUBLE_EQ(helper_.wavenumbers(axis)[p], k(index, axis, false));
        EXPECT_DOUBLE_EQ(helper_.odd_wavenumbers(axis)[p], k(index, axis, true));
        EXPECT_EQ(helper_.wavenumber(axis, mine[p]), helper_.wavenumbers(axis)[p]);
        EXPECT_EQ(helper_.odd_wavenumber(axis, mine[p]), helper_.odd_wavenumbers(axis)[p]);
        // A mode and its mirror image, unless that is stored as well.
        const integer mirror = (all_.shape[at(axis)] - mine[p]) % all_.shape[at(axis)];
        const bool stored = axis != real_axis_of(t_.what) || mirror < plan_.output().shape()[at(axis)];
        EXPECT_EQ(helper_.weights(axis)[p], stored ? 1 : 2);
      }
    }
  }

  void check_powers(const array<element>& modes) const {
    const double tolerance = std::is_same_v<Real, float> ? 1e-4 : 1e-11;
    const auto squares = helper_.mean_squares(modes);
    ASSERT_EQ(squares.size(), at(t_.what.batch));
    double total = 0;
    for (std::size_t b = 0; b < squares.size(); ++b) {
      double mean = 0;
      for (const value& v : all_.fields[b]) mean += std::norm(v) / static_cast<double>(all_.fields[b].size());
      EXPECT_NEAR(squares[b], mean, tolerance * (mean + 1e-3));
      total += mean;
    }
    dice d(t_.seed + 77);
    const double width = d.once_in(2) ? 0 : 0.5 + d.unit();
    double usual = 1e300;
    for (const int a : all_.axes) usual = std::min(usual, unit(a));
    const auto shells = helper_.spectrum(modes, width);
    std::vector<shell> wanted(shells.size());
    double untouched = 1, n = 1;
    for (std::size_t l = 0; l < all_.shape.size(); ++l) {
      const bool is = std::ranges::find(all_.axes, static_cast<int>(l)) != all_.axes.end();
      (is ? n : untouched) *= static_cast<double>(all_.shape[l]);
    }
    each_tuple(all_.shape, [&](const extents& i) {
      const double size = std::sqrt(square(i));
      const auto s = at(std::llround(std::floor(size / (width == 0 ? usual : width) + 0.5)));
      ASSERT_LT(s, wanted.size());
      wanted[s].modes += 1;
      wanted[s].wavenumber += size;
      for (const auto& m : all_.modes)
        wanted[s].power += std::norm(m[at(flat_index(i, all_.shape))]) / (n * n * untouched);
    });
    double sum = 0;
    for (std::size_t s = 0; s < shells.size(); ++s) {
      EXPECT_EQ(shells[s].modes, wanted[s].modes);
      EXPECT_NEAR(shells[s].power, wanted[s].power, tolerance * (total + 1e-3));
      if (wanted[s].modes > 0) {
        EXPECT_NEAR(shells[s].wavenumber, wanted[s].wavenumber / wanted[s].modes, 1e-9);
      }
      sum += shells[s].power;
    }
    EXPECT_NEAR(sum, total, tolerance * (total + 1e-3));
  }

  [[nodiscard]] array<element> arrays(integer batch, bool strided = true) const {
    dice own(t_.seed + static_cast<std::uint64_t>(world_rank() + 50 * batch));
    extents local = plan_.output().local_shape(world_rank());
    if (batch > 1) local.insert(local.begin(), batch);
    return array<element>(plan_.output(), world_rank(), batch, strided ? random_layout(own, local) : layout{});
  }

  void check_derivatives(array<element>& modes) {
    const integer batch = t_.what.batch, d = static_cast<integer>(all_.axes.size());
    auto scalars = arrays(batch), vectors = arrays(batch * d);
    helper_.laplacian(modes, scalars);
    expect(
        scalars, [&](const extents& i, integer b) { return mode(i, b) * -square(i); }, "laplacian");
    const auto solved = [&](const extents& i, integer b) { return square(i) > 0 ? mode(i, b) / -square(i) : 0; };
    helper_.poisson(modes, scalars);
    expect(scalars, solved, "poisson");
    helper_.gradient(modes, vectors);
    expect(
        vectors, [&](const extents& i, integer b) { return slope(i, b / d, all_.axes[at(b % d)]); }, "gradient");
    for (const int axis : all_.axes) {
      helper_.derivative(modes, scalars, axis);
      expect(
          scalars, [&](const extents& i, integer b) { return slope(i, b, axis); }, "derivative");
    }
    // A vector whose components are different modes.
    vectors.for_each([&](auto i, element& v, integer b) { v = element(component(extents(i.begin(), i.end()), b)); });
    helper_.divergence(vectors, scalars);
    const auto divergence = [&](const extents& i, integer b) {
      value sum = 0;
      for (integer c = 0; c < d; ++c) sum += component(i, b * d + c) * value(0, k(i, all_.axes[at(c)], true));
      return sum;
    };
    expect(scalars, divergence, "divergence");
    check_curl(vectors, scalars);
    helper_.poisson(modes, modes);
    expect(modes, solved, "poisson in place");
  }

  /// Of a made-up vector.
  [[nodiscard]] value component(const extents& i, integer b) const {
    return mode(i, b % t_.what.batch) * value(1 + static_cast<double>(b), 0.5 * static_cast<double>(b));
  }

  void check_curl(array<element>& vectors, array<element>& scalars) {
    const auto d = all_.axes.size();
    const auto part = [&](const extents& i, integer b, std::size_t along, std::size_t of) {
      return component(i, b * static_cast<integer>(d) + static_cast<integer>(of)) *
             value(0, k(i, all_.axes[along], true));
    };
    if (d == 2) {
      helper_.curl(vectors, scalars);
      expect(
          scalars, [&](const extents& i, integer b) { return part(i, b, 0, 1) - part(i, b, 1, 0); }, "curl");
    } else if (d == 3) {
      helper_.curl(vectors, vectors);
      const auto wanted = [&](const extents& i, integer b) {
        const std::size_t c = at(b % 3), next = (c + 1) % 3, after = (c + 2) % 3;
        return part(i, b / 3, next, after) - part(i, b / 3, after, next);
      };
      expect(vectors, wanted, "curl");
    } else {
      EXPECT_THROW(helper_.curl(vectors, vectors), argument_error);
    }
  }

  const drawn& t_;
  const whole& all_;
  std::vector<double> lengths_;
  Plan plan_;
  spectral<Real> helper_;
};

/// Whether there was a plan to check.
bool check_draw(std::uint64_t seed, topic about) {
  bool checked = false;
  drawn t = draw_problem(seed, world_size(), 300, about, drawn_kinds::fourier);
  SCOPED_TRACE(describe(t));
  dice d(seed + 1);
  const whole all(t.what, t.what.batch, d);
  std::vector<double> lengths;
  for (std::size_t l = 0; l < t.what.shape.size() && seed % 2 == 0; ++l) lengths.push_back(0.5 + d.unit());
  planner::limits() = t.limits;
  const bool real = t.what.kind == transform_kind::r2c, single = t.what.element == precision::f32;
  try {
    if (real) {
      single ? helpers_check<r2c<float>, float>(t, all, lengths).check()
             : helpers_check<r2c<double>, double>(t, all, lengths).check();
    } else {
      single ? helpers_check<c2c<float>, float>(t, all, lengths).check()
             : helpers_check<c2c<double>, double>(t, all, lengths).check();
    }
    checked = true;
  } catch (const applicability_error&) {
    // Draws name algorithms and engines that cannot do everything.
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what();
  }
  planner::limits() = {};
  return checked;
}

TEST(spectral_helpers, agree_with_the_whole_field) {
  const auto all = seeds(20, 8000 + 100 * static_cast<std::uint64_t>(world_size()));
  std::size_t checked = 0;
  for (const auto seed : all) {
    checked += check_draw(seed, static_cast<topic>(seed % 4 == 2 ? 0 : seed % 4)) ? 1 : 0;
    if (failed_anywhere()) return;
  }
  if (all.size() > 1) {
    EXPECT_GE(3 * checked, all.size()) << "too many draws had no plan";
  }
}

TEST(spectral_helpers, errors_are_the_same_on_all_ranks) {
  problem what{.shape = {6, 4, 5}};
  what.axes = {0, 2};
  c2c<double> plan(what, world());
  EXPECT_THROW(spectral<float>(plan, {}), argument_error);
  EXPECT_THROW(spectral<double>(plan, {1, 2}), argument_error);
  EXPECT_THROW(spectral<double>(plan, {1, 0, 1}), argument_error);
  spectral<double> helper(plan);
  auto x = plan.make_output(), y = plan.make_output();
  EXPECT_THROW(helper.derivative(x, y, 1), argument_error);
  EXPECT_THROW(helper.derivative(x, y, 3), argument_error);
  EXPECT_THROW(helper.gradient(x, y), argument_error);
  EXPECT_THROW((void)helper.spectrum(x, -1), argument_error);
  EXPECT_THROW((void)helper.wavenumbers(3), argument_error);
  array<std::complex<double>> elsewhere(distribution::parse("[c0/2 * *]", {6, 4, 5}, grid({world_size()})),
                                        world_rank());
  EXPECT_NE(elsewhere.how(), plan.output());
  EXPECT_THROW(helper.laplacian(x, world_rank() == world_size() - 1 ? elsewhere : y), buffer_error);
  EXPECT_THROW((void)helper.mean_squares(world_rank() == 0 ? elsewhere : y), buffer_error);
  if (world_size() > 1) {
    EXPECT_THROW(spectral<double>(plan, std::vector<double>(3, 1.0 + world_rank())), mismatch_error);
  }
  helper.laplacian(x, y);
}

}  // namespace
}  // namespace weft::testing
