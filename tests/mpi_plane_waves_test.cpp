// SPDX-License-Identifier: BSD-3-Clause
// Plane waves inside ellipsoids, against sums over all of them.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mpi_support.hpp"
#include "property.hpp"
#include "weft/error.hpp"
#include "weft/plane_waves.hpp"

namespace weft::testing {
namespace {

/// A number for each wave, the same on all ranks.
template <class Real>
std::complex<Real> coefficient(const std::array<integer, 3>& k, integer band) {
  dice d(static_cast<std::uint64_t>(((k[0] + 50) * 100 + k[1] + 50) * 100 + k[2] + 50) * 10 +
         static_cast<std::uint64_t>(band));
  return {static_cast<Real>(d.unit() - 0.5), static_cast<Real>(d.unit() - 0.5)};
}

/// By looking at every mode of the grid.
std::vector<std::array<integer, 3>> inside(const extents& shape, const std::vector<double>& radii) {
  std::vector<std::array<integer, 3>> all;
  each_tuple(shape, [&](const extents& i) {
    double sum = 0;
    std::array<integer, 3> k{};
    for (std::size_t l = 0; l < 3; ++l) {
      k[l] = 2 * i[l] < shape[l] ? i[l] : i[l] - shape[l];
      sum += static_cast<double>(k[l] * k[l]) / (radii[l] * radii[l]);
    }
    if (sum <= 1 + 1e-9) all.push_back(k);
  });
  return all;
}

template <class Real>
void check_draw(std::uint64_t seed) {
  dice d(seed);
  extents shape;
  std::vector<double> radii;
  for (int l = 0; l < 3; ++l) {
    shape.push_back(d.between(1, 9));
    radii.push_back((d.once_in(2) ? 0.49 : 0.05 + 0.4 * d.unit()) * static_cast<double>(shape.back()));
    if (d.once_in(2) && radii.back() > 1) radii.back() = std::floor(radii.back());
  }
  const integer bands = d.between(1, 2);
  options how;
  how.exchange = d.pick(std::vector<std::string>{"auto", "alltoallv", "p2p", "streamed"});
  SCOPED_TRACE(to_text(shape) + " radii " + std::to_string(radii[0]) + " " + std::to_string(radii[1]) + " " +
               std::to_string(radii[2]) + " bands " + std::to_string(bands) + " " + how.exchange + "; " + rerun(seed));
  plane_waves<Real> waves(shape, radii, world(), how, bands);
  const auto all = inside(shape, radii);
  const auto& mine = waves.waves();
  EXPECT_EQ(sum_of(static_cast<double>(mine.size())), static_cast<double>(all.size()));
  for (const auto& k : mine) EXPECT_TRUE(std::ranges::find(all, k) != all.end());

  std::vector<std::complex<Real>> c;
  for (integer b = 0; b < bands; ++b) {
    for (const auto& k : mine) c.push_back(coefficient<Real>(k, b));
  }
  auto field = waves.make_field();
  const double limit = 50 * static_cast<double>(all.size()) * std::numeric_limits<Real>::epsilon();
  for (int again = 0; again < 2; ++again) {  // what is left of the first time must not matter
    waves.to_field(c, field);
    field.for_each([&](auto x, const auto& found, integer b) {
      std::complex<double> due = 0;
      for (const auto& k : all) {
        double turns = 0;
        for (std::size_t l = 0; l < 3; ++l) {
          turns += static_cast<double>(k[l] * x[l] % shape[l]) / static_cast<double>(shape[l]);
        }
        due += std::complex<double>(coefficient<Real>(k, b)) * std::polar(1.0, 2 * std::numbers::pi * turns);
      }
      EXPECT_LE(std::abs(due - std::complex<double>(found)), limit);
    });
    std::vector<std::complex<Real>> back(c.size());
    waves.to_waves(field, back);
    for (std::size_t i = 0; i < c.size(); ++i) EXPECT_LE(std::abs(std::complex<double>(c[i] - back[i])), limit);
    // A field with all waves, of which only some are asked for.
    field.for_each([&](auto x, auto& v, integer) { v = x[0] == 0 && x[1] == 0 && x[2] == 0 ? 1 : 0; });
    waves.to_waves(field, back);
    const double flat = 1 / static_cast<double>(volume(shape));
    for (const auto& v : back) EXPECT_LE(std::abs(std::complex<double>(v) - flat), limit);
  }
}

TEST(plane_waves, are_sums_over_the_sphere) {
  for (const auto seed : seeds(8, 9100 + 100 * static_cast<std::uint64_t>(world_size()))) {
    seed % 2 == 0 ? check_draw<double>(seed) : check_draw<float>(seed);
    if (failed_anywhere()) return;
  }
}

TEST(plane_waves, are_dealt_evenly_and_send_columns_only) {
  plane_waves<double> waves({32, 32, 32}, {8, 8, 8}, world(), {.exchange = "alltoallv"});
  const auto mine = static_cast<double>(waves.waves().size());
  EXPECT_LE(std::abs(mine - sum_of(mine) / world_size()), 17);  // a column at most
  c2c<double> cube({.shape = {32, 32, 32}, .modes = {17, 17, 17}}, world(), {.exchange = "alltoallv"});
  if (world_size() > 1) {
    EXPECT_LT(static_cast<double>(waves.report().bytes), 0.75 * static_cast<double>(cube.report().bytes));
  }
}

/// Where columns are dropped from a grid that keeps all modes, its plan does not know of it.
TEST(plane_waves, keep_to_a_tolerance_beside_what_is_dropped) {
  for (const integer n : {9, 10}) {
    const double radius = 4.4;
    plane_waves<double> waves({n, n, n}, {radius, radius, radius}, world(),
                              {.exchange = "p2p", .message_tolerance = 1e-6, .idle_ranks = false});
    const auto wave_of = [&](const auto& x, integer k0, integer k2) {
      return std::polar(1.0,
                        2 * std::numbers::pi * static_cast<double>(k0 * x[0] + k2 * x[2]) / static_cast<double>(n));
    };
    auto field = waves.make_field();
    field.for_each([&](auto x, auto& v, integer) { v = wave_of(x, 4, 4) + 1e-6 * wave_of(x, 4, 0); });
    std::vector<std::complex<double>> c(at(waves.coefficients()));
    waves.to_waves(field, c);
    for (std::size_t i = 0; i < c.size(); ++i) {
      const double due = waves.waves()[i] == std::array<integer, 3>{4, 0, 0} ? 1e-6 : 0.0;
      EXPECT_LE(std::abs(c[i] - due), 1e-12) << n;
    }
  }
}

TEST(plane_waves, errors_are_the_same_on_all_ranks) {
  EXPECT_THROW(plane_waves<double>({8, 8}, {2, 2, 2}, world()), argument_error);
  EXPECT_THROW(plane_waves<double>({8, 8, 8}, {2, 2}, world()), argument_error);
  EXPECT_THROW(plane_waves<double>({8, 8, 8}, {2, 4, 2}, world()), argument_error);
  EXPECT_THROW(plane_waves<double>({8, 8, 8}, {2, 0, 2}, world()), argument_error);
  EXPECT_THROW(plane_waves<double>({8, 8, 8}, {2, 2, std::nan("")}, world()), argument_error);
  EXPECT_THROW(plane_waves<double>({8, 8, 8}, {2, 2, 2}, world(), {.device = "emulated"}), applicability_error);
  EXPECT_THROW(plane_waves<double>({8, 8, 8}, {2, 2, 2}, world(), {}, 0), argument_error) << "no bands";
  if (world_size() > 1) {  // one rank asks for something else, be it wrong or right
    const bool last = world_rank() == world_size() - 1;
    EXPECT_THROW(plane_waves<double>({8, 8, 8}, {2, 2, last ? 2.5 : 2}, world()), mismatch_error);
    EXPECT_THROW(plane_waves<double>({8, 8, 8}, {2, 2, last ? -1.0 : 2}, world()), mismatch_error);
    EXPECT_THROW(plane_waves<double>({8, 8, last ? 9 : 8}, {2, 2, 2}, world()), mismatch_error);
    EXPECT_THROW(plane_waves<double>({8, 8, 8}, {2, 2, 2}, world(), {}, last ? 2 : 1), mismatch_error);
  }
  plane_waves<double> waves({8, 8, 8}, {2, 3, 2}, world());
  auto field = waves.make_field();
  const std::size_t wrong = world_rank() == world_size() - 1 ? 1 : 0;
  std::vector<std::complex<double>> c(at(waves.coefficients()) + wrong);
  EXPECT_THROW(waves.to_field(c, field), buffer_error);
  EXPECT_THROW(waves.to_waves(field, c), buffer_error);
  c.resize(at(waves.coefficients()));
  waves.to_field(c, field);
}

}  // namespace
}  // namespace weft::testing
