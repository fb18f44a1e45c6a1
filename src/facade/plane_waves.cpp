// SPDX-License-Identifier: BSD-3-Clause
#include "weft/plane_waves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

#include "mpi/agreement.hpp"

namespace weft::detail {

namespace {

integer most(double radius) { return static_cast<integer>(std::floor(radius)); }

/// All digits, for ranks to compare.
std::string radii_text(const std::vector<double>& radii) {
  std::string text;
  for (const double r : radii) {
    std::array<char, 32> digits{};
    (void)std::snprintf(digits.data(), digits.size(), "%.17g", r);
    text += (text.empty() ? "" : " ") + std::string(digits.data());
  }
  return text;
}

void check_waves(const extents& shape, const std::vector<double>& radii, const options& how) {
  if (shape.size() != 3 || radii.size() != 3) {
    throw argument_error("plane waves are those of three axes; there are " + std::to_string(shape.size()) +
                         " extents and " + std::to_string(radii.size()) + " radii");
  }
  for (std::size_t l = 0; l < 3; ++l) {
    if (!(radii[l] > 0) || !(2 * radii[l] < static_cast<double>(shape[l]))) {
      throw argument_error("radius " + std::to_string(radii[l]) + " of axis " + std::to_string(l) +
                           ": use more than 0 and less than half of the extent, which is " + std::to_string(shape[l]) +
                           ", so that waves differ on the grid");
    }
  }
  if (how.device != "cpu") {
    throw applicability_error("plane waves lie in memory of the host, not on device '" + how.device + "'; use 'cpu'");
  }
}

/// By length, the longest first, dealt to and fro: column i is rank i mod ranks's.
std::vector<wave_column> columns_inside(const std::vector<double>& radii, int ranks) {
  std::vector<wave_column> all;
  for (integer i = 0; i < 2 * most(radii[0]) + 1; ++i) {
    for (integer j = 0; j < 2 * most(radii[1]) + 1; ++j) {
      const integer a = i <= most(radii[0]) ? i : i - 2 * most(radii[0]) - 1,
                    b = j <= most(radii[1]) ? j : j - 2 * most(radii[1]) - 1;
      const double x = static_cast<double>(a) / radii[0], y = static_cast<double>(b) / radii[1];
      const double rest = 1 - x * x - y * y;
      // Waves on the surface are inside, whatever their squares are rounded to.
      constexpr double slack = 1e-12;
      if (rest < -slack) continue;
      const integer highest = most(radii[2] * (std::sqrt(std::max(0.0, rest)) + slack));
      all.push_back({a, b, std::min(highest, most(radii[2]))});
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &wave_column::highest);
  const auto round = static_cast<std::size_t>(ranks);
  for (std::size_t i = round; i + round <= all.size(); i += 2 * round) {
    std::reverse(all.begin() + static_cast<std::ptrdiff_t>(i), all.begin() + static_cast<std::ptrdiff_t>(i + round));
  }
  return all;
}

}  // namespace

wave_columns columns_of(const extents& shape, const std::vector<double>& radii, const options& how, MPI_Comm on) {
  const mpi::communicator ranks(on);
  mpi::require_same(ranks,
                    {{"shape", to_text(shape)}, {"radii of plane waves", radii_text(radii)}, {"device", how.device}});
  wave_columns found;
  mpi::agree(ranks, [&] {
    check_waves(shape, radii, how);
    found.ranks = ranks.size();
    for (std::size_t l = 0; l < 3; ++l) found.modes[l] = 2 * most(radii[l]) + 1;
    found.all = columns_inside(radii, ranks.size());
    for (auto c = static_cast<std::size_t>(ranks.rank()); c < found.all.size();
         c += static_cast<std::size_t>(ranks.size())) {
      const wave_column& here = found.all[c];
      found.mine.push_back(here);
      for (integer j = 0; j < 2 * here.highest + 1; ++j) {
        found.waves.push_back({here.first, here.second, j <= here.highest ? j : j - 2 * here.highest - 1});
      }
    }
  });
  return found;
}

}  // namespace weft::detail
