// SPDX-License-Identifier: BSD-3-Clause
// Convolutions, correlations and dealiased products, against sums over all elements.
#include <gtest/gtest.h>

#include <numbers>

#include "mpi_support.hpp"
#include "property.hpp"
#include "weft/convolution.hpp"
#include "weft/error.hpp"
#include "weft/gather.hpp"

namespace weft::testing {
namespace {

using value = std::complex<double>;

/// All of an array, on every rank.
template <class T>
std::vector<value> whole(const array<T>& x) {
  const auto all = gather(x, world());
  std::vector<value> everywhere(at(x.batch() * volume(x.how().shape())));
  for (std::size_t k = 0; k < all.size(); ++k) everywhere[k] = value(all[k]);
  MPI_Bcast(everywhere.data(), static_cast<int>(everywhere.size()), MPI_C_DOUBLE_COMPLEX, 0, world());
  return everywhere;
}

template <class Plan, class Real>
class convolution_check {
 public:
  explicit convolution_check(const drawn& t) : t_(t), of_(t.what, world(), t.how) {
    transformed_.resize(t.what.shape.size(), false);
    for (const int a : axes_of(t.what)) transformed_[at(a)] = true;
  }

  void check() {
    auto x = of_.make_field(), y = of_.make_field();
    typename convolution<Plan>::field kernel(of_.plan().input(), world_rank());
    fill(x, 1);
    fill(kernel, 2);
    const auto all = projected(whole(x)), weights = whole(kernel);
    EXPECT_THROW(of_.convolve(x, y), argument_error) << "without a kernel";
    EXPECT_THROW(of_.correlate(x, y), argument_error) << "without a kernel";
    of_.kernel_in_space(kernel);
    of_.convolve(x, y);
    expect(y, summed(all, weights, -1), t_.what.shape, "convolution");
    fill(x, 1);
    of_.correlate(x, y);
    expect(y, summed(all, weights, +1), t_.what.shape, "correlation");
    // A shift by one along each axis, by its modes; in place.
    fill(x, 1);
    of_.kernel_in_modes([&](auto i) {
      double angle = 0;
      for (std::size_t l = 0; l < i.size(); ++l) {
        if (transformed_[l])
          angle -= 2 * std::numbers::pi * static_cast<double>(number(i[l], l)) / static_cast<double>(t_.what.shape[l]);
      }
      return std::complex<Real>(std::polar(1.0, angle));
    });
    of_.convolve(x, x);
    std::vector<value> unit(at(volume(t_.what.shape)));
    each_tuple(t_.what.shape, [&](const extents& i) {
      bool is = true;
      for (std::size_t l = 0; l < i.size(); ++l) is = is && (!transformed_[l] || i[l] == 1 % t_.what.shape[l]);
      unit[at(flat_index(i, t_.what.shape))] = is ? 1 : 0;
    });
    expect(x, summed(all, unit, -1), t_.what.shape, "shift by modes");
    check_product();
  }

 private:
  template <class T>
  static void fill(array<T>& x, std::uint64_t seed) {
    x.for_each([&](auto i, T& v, integer b) {
      dice d(1000 * seed +
             static_cast<std::uint64_t>(flat_index(extents(i.begin(), i.end()), x.how().shape()) * 5 + b));
      v = draw<T>(d);
    });
  }
  template <class T>
  static T draw(dice& d) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(d.unit() - 0.5);
    } else {
      return T(value(d.unit() - 0.5, d.unit() - 0.5));
    }
  }

  /// Sums over the transformed axes: of kernel[j] x[i - j], or conj(kernel[j]) x[i + j].
  [[nodiscard]] std::vector<value> summed(const std::vector<value>& x, const std::vector<value>& kernel,
                                          int sign) const {
    const extents& shape = t_.what.shape;
    const integer n = volume(shape);
    std::vector<value> result(x.size());
    each_tuple(shape, [&](const extents& i) {
      each_tuple(shape, [&](const extents& j) {
        extents from(i.size());
        for (std::size_t l = 0; l < i.size(); ++l) {
          if (!transformed_[l] && i[l] != j[l]) return;
          from[l] = transformed_[l] ? (i[l] + sign * j[l] + shape[l]) % shape[l] : i[l];
        }
        const value weight = kernel[at(flat_index(j, shape))];
        for (integer b = 0; b < t_.what.batch; ++b) {
          result[at(b * n + flat_index(i, shape))] +=
              (sign < 0 ? weight : std::conj(weight)) * x[at(b * n + flat_index(from, shape))];
        }
      });
    });
    return result;
  }

  /// Of the modes that are kept along an axis, what index `i` stands for.
  [[nodiscard]] integer number(integer i, std::size_t l) const {
    const integer n = t_.what.shape[l], modes = modes_of(t_.what)[l];
    return 2 * i < modes || (2 * i == modes && modes == n) ? i : i - modes;
  }
  [[nodiscard]] bool has_mode(integer k, std::size_t l) const {
    const integer n = t_.what.shape[l], modes = modes_of(t_.what)[l];
    if (modes == n) return 2 * k <= n && -2 * k < n;
    return 2 * k < modes && (t_.what.kind == transform_kind::r2c ? -2 * k < modes : -2 * k <= modes);
  }

  /// What is left of fields by the modes that are kept.
  [[nodiscard]] std::vector<value> projected(std::vector<value> x) const {
    const extents& shape = t_.what.shape;
    integer inner = volume(shape);
    for (std::size_t l = 0; l < shape.size() && inner > 0; ++l) {
      const integer n = shape[l];
      inner /= n;
      if (modes_of(t_.what)[l] == n) continue;
      std::vector<value> by(at(n)), from = x;
      for (integer j = 0; j < n; ++j) {
        for (integer k = -n; k <= n; ++k) {
          const double angle = 2 * std::numbers::pi * static_cast<double>(j * k) / static_cast<double>(n);
          if (has_mode(k, l)) by[at(j)] += std::polar(1.0 / static_cast<double>(n), angle);
        }
      }
      for (integer e = 0; e < static_cast<integer>(x.size()); ++e) {
        const integer i = e / inner % n;
        x[at(e)] = 0;
        for (integer j = 0; j < n; ++j) x[at(e)] += by[at((i - j + n) % n)] * from[at(e + (j - i) * inner)];
      }
    }
    return x;
  }

  template <class T>
  void expect(const array<T>& got, const std::vector<value>& wanted, const extents& shape, const char* what) const {
    double most = 0, largest = 0.1;
    const integer n = volume(shape);
    for (const value& v : wanted) largest = std::max(largest, std::abs(v));
    got.for_each([&](auto i, const T& v, integer b) {
      const integer k = b * n + flat_index(extents(i.begin(), i.end()), shape);
      most = std::max(most, std::abs(value(v) - wanted[at(k)]));
    });
    EXPECT_LE(most, (std::is_same_v<Real, float> ? 2e-5 : 1e-12) * largest) << what;
  }

  /// All modes of real fields, by those that are stored.
  [[nodiscard]] std::vector<value> unfolded(const std::vector<value>& stored) {
    if (t_.what.kind == transform_kind::c2c) return stored;
    const extents &shape = modes_of(t_.what), half = of_.plan().output().shape();
    std::vector<value> all;
    for (integer b = 0; b < t_.what.batch; ++b) {
      each_tuple(shape, [&](const extents& i) {
        extents from = i;
        const bool mirrored = i[at(real_axis_of(t_.what))] >= half[at(real_axis_of(t_.what))];
        for (std::size_t l = 0; l < i.size() && mirrored; ++l)
          from[l] = transformed_[l] ? (shape[l] - i[l]) % shape[l] : i[l];
        const value v = stored[at(b * volume(half) + flat_index(from, half))];
        all.push_back(mirrored ? std::conj(v) : v);
      });
    }
    return all;
  }

  /// The sum over all pairs of modes that are kept, where their sum is a mode that is kept: no image of another.
  void check_product() {
    auto& plan = of_.plan();
    auto x = plan.make_input(), y = plan.make_input();
    auto a = plan.make_output(), b = plan.make_output(), result = plan.make_output();
    fill(x, 3);
    fill(y, 4);
    const auto drop = [&](auto i, auto& v) {
      if (!of_.keeps(i)) v = 0;
    };
    plan.forward(x, a, drop);
    plan.forward(y, b, drop);
    const auto a_all = unfolded(whole(a)), b_all = unfolded(whole(b));
    of_.product(a, b, result);
    const extents& shape = modes_of(t_.what);
    const integer n = volume(shape);
    std::vector<value> wanted(a_all.size());
    each_tuple(shape, [&](const extents& i) {
      each_tuple(shape, [&](const extents& j) {
        extents sum(i.size());
        for (std::size_t l = 0; l < i.size(); ++l) {
          if (!transformed_[l]) {
            if (i[l] != j[l]) return;
            sum[l] = i[l];
            continue;
          }
          const integer k = number(i[l], l) + number(j[l], l);
          if (!has_mode(k, l)) return;
          sum[l] = (k + shape[l]) % shape[l];
        }
        if (!of_.keeps(sum)) return;
        for (integer c = 0; c < t_.what.batch; ++c) {
          wanted[at(c * n + flat_index(sum, shape))] +=
              a_all[at(c * n + flat_index(i, shape))] * b_all[at(c * n + flat_index(j, shape))];
        }
      });
    });
    double count = 1;
    for (std::size_t l = 0; l < shape.size(); ++l) {
      count *= transformed_[l] ? static_cast<double>(t_.what.shape[l]) : 1;
    }
    const double forward = t_.how.scaling == normalization::forward ? 1 / count
                           : t_.how.scaling == normalization::ortho ? 1 / std::sqrt(count)
                                                                    : 1;
    for (auto& v : wanted) v /= forward * count;
    expect(result, wanted, shape, "product");
  }

  const drawn& t_;
  convolution<Plan> of_;
  std::vector<bool> transformed_;
};

/// The same axes, by the names of their kinds.
void name_kinds(problem& p) {
  p.kinds.assign(p.shape.size(), "none");
  for (const int a : axes_of({.shape = p.shape, .axes = p.axes})) p.kinds[at(a)] = "c2c";
  if (p.kind == transform_kind::r2c)
    p.kinds[at(real_axis_of({.shape = p.shape, .kind = p.kind, .axes = p.axes, .real_axis = p.real_axis}))] = "r2c";
  p.axes.clear();
  p.real_axis = -1;
}

TEST(convolutions, are_sums_over_all_elements) {
  const auto all = seeds(24, 11000 + 100 * static_cast<std::uint64_t>(world_size()));
  std::size_t checked = 0;
  for (const auto seed : all) {
    drawn t =
        draw_problem(seed, world_size(), 150, static_cast<topic>(seed % 4 == 2 ? 0 : seed % 4), drawn_kinds::fourier);
    if (t.how.local == "gpu") t.how.local = "auto";  // devices call no functions of the host
    t.how.in_place = t.strided = false;
    dice d(seed ^ 0x6D6F646573U);
    if (seed % 4 != 1 && d.once_in(2)) {
      draw_modes(d, t.what);
      if (t.what.out.full_text() != "same") t.what.out = "any";
    } else if (d.once_in(3)) {
      name_kinds(t.what);
    }
    SCOPED_TRACE(describe(t));
    planner::limits() = t.limits;
    const bool real = t.what.kind == transform_kind::r2c, single = t.what.element == precision::f32;
    try {
      if (real) {
        single ? convolution_check<r2c<float>, float>(t).check() : convolution_check<r2c<double>, double>(t).check();
      } else {
        single ? convolution_check<c2c<float>, float>(t).check() : convolution_check<c2c<double>, double>(t).check();
      }
      ++checked;
    } catch (const applicability_error&) {
      // Draws name algorithms and engines that cannot do everything.
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    planner::limits() = {};
    if (failed_anywhere()) return;
  }
  if (all.size() > 1) {
    EXPECT_GE(3 * checked, all.size()) << "too many draws had no plan";
  }
}

TEST(convolutions, refuse_what_they_cannot_do) {
  const problem what{.shape = {8, 8}};
  EXPECT_THROW(convolution<c2c<double>>(what, world(), {.in_place = true}), argument_error);
  problem other = what;
  other.kinds = {"dct2", "c2c"};
  EXPECT_THROW(convolution<c2c<double>>(other, world()), argument_error);
  other.kinds = {"dst1", "r2c"};
  EXPECT_THROW(convolution<r2c<double>>(other, world()), argument_error);
  other = what;
  other.output_box = {{0, 0}, {4, 8}};
  EXPECT_THROW(convolution<c2c<double>>(other, world()), argument_error);
}

}  // namespace
}  // namespace weft::testing
