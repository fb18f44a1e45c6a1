// SPDX-License-Identifier: BSD-3-Clause
// Helpers on the modes of a plan, against the same computation on the whole field, all its modes and no ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "local/serial.hpp"
#include "mpi_support.hpp"
#include "property.hpp"
#include "weft/error.hpp"
#include "weft/spectral.hpp"

namespace weft::testing {
namespace {

using value = std::complex<double>;

/// Some whole fields, and their modes by definition, none left out but those that the problem does not keep.
struct whole {
  const problem& what;
  extents shape;
  std::vector<int> axes;                                 // transformed, rising
  std::vector<std::vector<value>> given, fields, modes;  // fields are what the modes leave of those given

  whole(const problem& p, integer count, dice d) : what(p), shape(p.shape), axes(axes_of(p)) {
    std::ranges::sort(axes);
    for (integer f = 0; f < count; ++f) {
      std::vector<value> field(at(volume(shape)));
      for (auto& v : field) v = {d.unit() - 0.5, real_input(p) ? 0 : d.unit() - 0.5};
      given.push_back(field);
      fields.push_back(field);
      transform(field, -1);
      each_tuple(shape, [&](const extents& i) {
        if (!is_kept(i)) field[at(flat_index(i, shape))] = 0;
      });
      modes.push_back(field);
      if (p.modes.empty()) continue;
      transform(field, +1);
      for (auto& v : field) v /= size_of(p);
      fields.back() = std::move(field);
    }
  }
  [[nodiscard]] std::string kind(int axis) const {
    if (!what.kinds.empty()) return what.kinds[at(axis)];
    return std::ranges::find(axes, axis) == axes.end() ? "none" : axis == real_axis_of(what) ? "r2c" : "c2c";
  }
  [[nodiscard]] bool is_fourier(int axis) const { return kind(axis) == "c2c" || kind(axis) == "r2c"; }
  [[nodiscard]] bool is_cut(int axis) const { return modes_of(what)[at(axis)] < shape[at(axis)]; }

  void transform(std::vector<value>& array, int sign) const {
    for (const int a : axes) {
      if (is_fourier(a)) {
        local::transform_axes<double>(array, shape, {a}, sign);
      } else {
        const line_kind forward = kind_named(kind(a));
        local::transform_axis<double>(array, shape, a, sign < 0 ? forward : row_of(forward).inverse);
      }
    }
  }

  /// Whether the mode `i` of the whole spectrum is kept.
  [[nodiscard]] bool is_kept(const extents& i) const {
    return std::ranges::all_of(axes, [&](int a) {
      const integer n = shape[at(a)], kept = modes_of(what)[at(a)], k = 2 * i[at(a)] <= n ? i[at(a)] : i[at(a)] - n;
      if (kept == n) return true;
      if (!is_fourier(a)) return i[at(a)] < kept;
      if (real_axis_of(what) >= 0) return 2 * std::abs(k) < kept;
      return -kept <= 2 * k && 2 * k < kept;
    });
  }
  /// Where element `i` of the output stands in the whole spectrum.
  [[nodiscard]] extents place(extents i) const {
    for (const int a : axes) {
      const integer n = shape[at(a)], kept = modes_of(what)[at(a)];
      if (is_cut(a) && kind(a) == "c2c" && 2 * i[at(a)] >= kept) i[at(a)] += n - kept;
    }
    return i;
  }
  /// Of mode i of the whole spectrum along an axis, without its unit.
  [[nodiscard]] double number(const extents& index, int axis, bool odd) const {
    const integer i = index[at(axis)], n = shape[at(axis)];
    const auto name = kind(axis);
    if (name == "none") return 0;
    if (name == "dct1" || name == "dct2") return static_cast<double>(i);
    if (name == "dst1" || name == "dst2") return static_cast<double>(i + 1);
    if (!is_fourier(axis)) return static_cast<double>(i) + 0.5;
    if (2 * i == n && !is_cut(axis)) return odd ? 0 : static_cast<double>(i);
    return static_cast<double>(2 * i < n ? i : i - n);
  }
  /// Cosines and sines are two waves, but for those that are constant or change their sign from point to point.
  [[nodiscard]] double waves(const extents& index) const {
    double count = 1;
    for (const int a : axes) {
      const integer i = index[at(a)], n = shape[at(a)];
      const auto name = kind(a);
      const bool single =
          (name == "dct1" && (i == 0 || i == n - 1)) || (name == "dct2" && i == 0) || (name == "dst2" && i == n - 1);
      count *= is_fourier(a) || single ? 1 : 2;
    }
    return count;
  }
  /// The mean square of a field over the interval: what each point counts for depends on where the walls are.
  [[nodiscard]] double mean_square(const std::vector<value>& field) const {
    double sum = 0, size = 1;
    for (std::size_t l = 0; l < shape.size(); ++l) {
      const auto name = kind(static_cast<int>(l));
      size *= static_cast<double>(name == "dct1" ? shape[l] - 1 : name == "dst1" ? shape[l] + 1 : shape[l]);
    }
    each_tuple(shape, [&](const extents& i) {
      double counts = 1;
      for (std::size_t l = 0; l < shape.size(); ++l) {
        const auto name = kind(static_cast<int>(l));
        const bool first = i[l] == 0, last = i[l] == shape[l] - 1;
        if ((name == "dct1" && (first || last)) || (name == "dct3" && first) || (name == "dst3" && last)) counts /= 2;
      }
      sum += counts * std::norm(field[at(flat_index(i, shape))]);
    });
    return size == 0 ? 0 : sum / size;
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
      const value exact = all_.given[at(b)][at(number_of(i, all_.shape))];
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
  using element = typename Plan::mode_value;
  static constexpr bool is_real = std::is_floating_point_v<element>;
  using function = std::function<value(const extents&, integer)>;

  static integer number_of(std::span<const integer> i, const extents& shape) {
    return flat_index(extents(i.begin(), i.end()), shape);
  }
  [[nodiscard]] double unit(int axis) const {
    return lengths_.empty() ? 1 : (all_.is_fourier(axis) ? 2 : 1) * std::numbers::pi / lengths_[at(axis)];
  }
  /// Of element `i` of the output.
  [[nodiscard]] double k(const extents& i, int axis, bool odd) const {
    return all_.number(all_.place(i), axis, odd) * unit(axis);
  }
  [[nodiscard]] double square(const extents& i) const {
    double sum = 0;
    for (const int a : all_.axes) sum += k(i, a, false) * k(i, a, false);
    return sum;
  }
  [[nodiscard]] value mode(const extents& i, integer b) const {
    if (!is_mode(t_.what, i)) return 0;
    return factor() * all_.modes[at(b)][at(flat_index(all_.place(i), all_.shape))];
  }
  [[nodiscard]] value slope(const extents& i, integer b, int axis) const {
    return mode(i, b) * value(0, k(i, axis, true));
  }
  [[nodiscard]] double factor() const {
    const double n = size_of(t_.what);
    if (n == 0) return 1;
    return t_.how.scaling == normalization::forward ? 1 / n
           : t_.how.scaling == normalization::ortho ? 1 / std::sqrt(n)
                                                    : 1;
  }

  void expect(const array<element>& got, const function& wanted, const char* what) const {
    double largest = 0.01 * factor();
    each_tuple(plan_.output().shape(), [&](const extents& i) {
      for (integer b = 0; b < got.batch(); ++b) largest = std::max(largest, std::abs(wanted(i, b)));
    });
    const double limit = (std::is_same_v<Real, float> ? 2e-4 : 1e-11) * largest;
    double most = 0;
    got.for_each([&](auto i, const element& v, integer b) {
      const extents index(i.begin(), i.end());
      if (is_mode(t_.what, index)) most = std::max(most, std::abs(value(v) - wanted(index, b)));
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
        EXPECT_EQ(helper_.wavenumber(axis, mine[p]), helper_.wavenumbers(axis)[p]);
        EXPECT_EQ(helper_.odd_wavenumber(axis, mine[p]), helper_.odd_wavenumbers(axis)[p]);
        if (!is_mode(t_.what, index)) {
          EXPECT_EQ(helper_.odd_wavenumbers(axis)[p], 0);
          EXPECT_EQ(helper_.weights(axis)[p], 0);
          continue;
        }
        EXPECT_DOUBLE_EQ(helper_.wavenumbers(axis)[p], k(index, axis, false));
        EXPECT_DOUBLE_EQ(helper_.odd_wavenumbers(axis)[p], k(index, axis, true));
        if (all_.kind(axis) != "r2c") {
          extents alone = all_.place(index);
          for (const int a : all_.axes) {
            if (a != axis && all_.kind(a) == "dst2") alone[at(a)] = all_.shape[at(a)] - 1;
          }
          double others = 1;
          for (const int a : all_.axes) {
            const auto name = all_.kind(a);
            others *= a == axis || all_.is_fourier(a) || name == "dct1" || name == "dct2" || name == "dst2" ? 1 : 2;
          }
          EXPECT_EQ(helper_.weights(axis)[p], all_.waves(alone) / others);
          continue;
        }
        // A mode and its mirror image, unless that is stored as well.
        const integer mirror = (all_.shape[at(axis)] - mine[p]) % all_.shape[at(axis)];
        const bool stored = mirror < plan_.output().shape()[at(axis)];
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
      const double mean = all_.mean_square(all_.fields[b]);
      EXPECT_NEAR(squares[b], mean, tolerance * (mean + 1e-3));
      total += mean;
    }
    dice d(t_.seed + 77);
    const double width = d.once_in(2) ? 0 : 0.5 + d.unit();
    double usual = 1e300;
    for (const int a : all_.axes) usual = std::min(usual, unit(a));
    const auto shells = helper_.spectrum(modes, width);
    std::vector<shell> wanted(shells.size());
    double untouched = 1;
    const double n = size_of(t_.what);
    for (std::size_t l = 0; l < all_.shape.size(); ++l) {
      const bool is = std::ranges::find(all_.axes, static_cast<int>(l)) != all_.axes.end();
      untouched *= is ? 1 : static_cast<double>(all_.shape[l]);
    }
    each_tuple(all_.shape, [&](const extents& i) {
      if (!all_.is_kept(i)) return;
      double square = 0;
      for (const int a : all_.axes) square += std::pow(all_.number(i, a, false) * unit(a), 2);
      const double size = std::sqrt(square);
      const auto s = at(std::llround(std::floor(size / (width == 0 ? usual : width) + 0.5)));
      ASSERT_LT(s, wanted.size());
      wanted[s].modes += all_.waves(i);
      wanted[s].wavenumber += all_.waves(i) * size;
      for (const auto& m : all_.modes) {
        wanted[s].power += all_.waves(i) * std::norm(m[at(flat_index(i, all_.shape))]) / (n * n * untouched);
      }
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
    if constexpr (!is_real) check_first_derivatives(modes, scalars, vectors);
    helper_.poisson(modes, modes);
    expect(modes, solved, "poisson in place");
  }

  void check_first_derivatives(const array<element>& modes, array<element>& scalars, array<element>& vectors) {
    const auto d = static_cast<integer>(all_.axes.size());
    for (const int axis : all_.axes) {
      if (!all_.is_fourier(axis)) {
        EXPECT_THROW(helper_.derivative(modes, scalars, axis), argument_error);
        continue;
      }
      helper_.derivative(modes, scalars, axis);
      expect(
          scalars, [&](const extents& i, integer b) { return slope(i, b, axis); }, "derivative");
    }
    if (!std::ranges::all_of(all_.axes, [&](int a) { return all_.is_fourier(a); })) {
      EXPECT_THROW(helper_.gradient(modes, vectors), argument_error);
      EXPECT_THROW(helper_.divergence(vectors, scalars), argument_error);
      EXPECT_THROW(helper_.curl(vectors, vectors), argument_error);
      return;
    }
    helper_.gradient(modes, vectors);
    expect(
        vectors, [&](const extents& i, integer b) { return slope(i, b / d, all_.axes[at(b % d)]); }, "gradient");
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
  drawn t = draw_problem(seed, world_size(), 300, about, seed % 3 == 0 ? drawn_kinds::fourier : drawn_kinds::any);
  SCOPED_TRACE(describe(t));
  dice d(seed + 1);
  const whole all(t.what, t.what.batch, d);
  std::vector<double> lengths;
  for (std::size_t l = 0; l < t.what.shape.size() && seed % 2 == 0; ++l) lengths.push_back(0.5 + d.unit());
  planner::limits() = t.limits;
  const bool real = t.what.kind == transform_kind::r2c, single = t.what.element == precision::f32;
  try {
    if (!t.what.input_box.low.empty() || !t.what.output_box.low.empty()) {
      const plan boxed(t.what, world(), t.how);
      EXPECT_THROW(spectral<double>(boxed, {}), argument_error);
    } else if (t.what.kind == transform_kind::r2r) {
      single ? helpers_check<r2r<float>, float>(t, all, lengths).check()
             : helpers_check<r2r<double>, double>(t, all, lengths).check();
    } else if (real) {
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
  const auto all = seeds(36, 8000 + 100 * static_cast<std::uint64_t>(world_size()));
  std::size_t checked = 0;
  for (const auto seed : all) {
    checked += check_draw(seed, static_cast<topic>(seed % 4 == 2 ? 0 : seed % 4)) ? 1 : 0;
    if (failed_anywhere()) return;
  }
  if (all.size() > 1) {
    EXPECT_GE(3 * checked, all.size()) << "too many draws had no plan";
  }
}

/// One cosine or sine at the points of its kind's grid has one coefficient, at the index with its wavenumber.
TEST(spectral_helpers, know_the_waves_between_walls) {
  const double length = 1.7;
  for (const std::string kind : {"dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4"}) {
    const integer n = 6;
    problem what{.shape = {n, 3}};
    what.kinds = {kind, "none"};
    r2r<double> plan(what, world());
    const spectral<double> of(plan, {length, 1});
    ASSERT_TRUE(of.has_real_modes());
    auto x = plan.make_input(), modes = plan.make_output();
    // Walls at 0 and at `length`: types 2 and 4 have points half a step from them.
    const double step = length / static_cast<double>(kind == "dct1" ? n - 1 : kind == "dst1" ? n + 1 : n);
    const double first = kind[3] == '2' || kind[3] == '4' ? 0.5 : kind == "dst1" || kind == "dst3" ? 1 : 0;
    for (integer k = 0; k < n; ++k) {
      x.for_each([&](auto i, double& v) {
        const double angle = of.wavenumber(0, k) * step * (first + static_cast<double>(i[0]));
        v = kind[1] == 'c' ? std::cos(angle) : std::sin(angle);
      });
      plan.forward(x, modes);
      modes.for_each([&](auto i, double v) {
        if (i[0] == k) {
          EXPECT_GT(v, 1) << kind << " " << k;
        } else {
          EXPECT_NEAR(v, 0, 1e-12) << kind << " " << k;
        }
      });
      auto second = plan.make_output(), same = plan.make_output();
      of.laplacian(modes, second);
      of.poisson(second, same);
      const bool constant = of.wavenumber(0, k) == 0;
      same.for_each([&](auto i, double v) { EXPECT_NEAR(v, constant ? 0 : modes.at(i), 1e-12); });
    }
    array<std::complex<double>> other(plan.output(), world_rank());
    EXPECT_THROW(of.laplacian(other, other), buffer_error);
    EXPECT_THROW(of.gradient(other, other), argument_error);
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
