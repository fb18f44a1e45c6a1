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
    const auto all = whole(x), weights = whole(kernel);
    of_.kernel_in_space(kernel);
    of_.convolve(x, y);
    expect(y, summed(all, weights, -1), "convolution");
    fill(x, 1);
    of_.correlate(x, y);
    expect(y, summed(all, weights, +1), "correlation");
    // A shift by one along each axis, by its modes; in place.
    fill(x, 1);
    of_.kernel_in_modes([&](auto i) {
      double angle = 0;
      for (std::size_t l = 0; l < i.size(); ++l) {
        if (transformed_[l])
          angle -= 2 * std::numbers::pi * static_cast<double>(i[l]) / static_cast<double>(t_.what.shape[l]);
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
    expect(x, summed(all, unit, -1), "shift by modes");
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

  template <class T>
  void expect(const array<T>& got, const std::vector<value>& wanted, const char* what) const {
    double most = 0, largest = 1e-30;
    const extents& shape = t_.what.shape;  // modes are those of all the field
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
    const extents &shape = t_.what.shape, half = of_.plan().output().shape();
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
    const extents& shape = t_.what.shape;
    const integer n = volume(shape);
    std::vector<value> wanted(a_all.size());
    const auto number = [&](const extents& i, std::size_t l) { return 2 * i[l] <= shape[l] ? i[l] : i[l] - shape[l]; };
    each_tuple(shape, [&](const extents& i) {
      each_tuple(shape, [&](const extents& j) {
        extents sum(i.size());
        for (std::size_t l = 0; l < i.size(); ++l) {
          if (!transformed_[l]) {
            if (i[l] != j[l]) return;
            sum[l] = i[l];
            continue;
          }
          const integer k = number(i, l) + number(j, l);
          if (2 * k >= shape[l] || -2 * k >= shape[l]) return;
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
    for (std::size_t l = 0; l < shape.size(); ++l) count *= transformed_[l] ? static_cast<double>(shape[l]) : 1;
    const double forward = t_.how.scaling == normalization::forward ? 1 / count
                           : t_.how.scaling == normalization::ortho ? 1 / std::sqrt(count)
                                                                    : 1;
    for (auto& v : wanted) v /= forward * count;
    expect(result, wanted, "product");
  }

  const drawn& t_;
  convolution<Plan> of_;
  std::vector<bool> transformed_;
};

TEST(convolutions, are_sums_over_all_elements) {
  const auto all = seeds(12, 11000 + 100 * static_cast<std::uint64_t>(world_size()));
  std::size_t checked = 0;
  for (const auto seed : all) {
    drawn t =
        draw_problem(seed, world_size(), 150, static_cast<topic>(seed % 4 == 2 ? 0 : seed % 4), drawn_kinds::fourier);
    if (t.how.local == "gpu") t.how.local = "auto";  // devices call no functions of the host
    t.how.in_place = t.strided = false;
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
}

}  // namespace
}  // namespace weft::testing
