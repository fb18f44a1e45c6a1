// SPDX-License-Identifier: BSD-3-Clause
// Interleaved rounds: in each, every contender transforms once after the others, and again at once, so that whatever
// disturbs the machine disturbs all alike.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "contender.hpp"
#include "noise.hpp"

namespace weft::tool {

/// Share of the CPU time taken by others above which a round is repeated.
constexpr double dirty_share = 0.05;

struct played_rounds {
  std::vector<std::vector<double>> seconds;  ///< by contender, then by round that counts
  std::vector<std::vector<double>> hot;      ///< the same of the transforms that followed at once
  int played = 0;
  int dirty = 0;
  noise seen;  ///< the worst of the rounds that count
};

/// Collective. Plays `wanted` rounds, and as many again at most in place of noisy ones; the quietest `wanted` count.
/// `tell(played, dirty)` hears of the progress.
[[nodiscard]] played_rounds play_rounds(const std::vector<std::unique_ptr<contender>>& all, int wanted, const ranks& on,
                                        const std::function<void(int, int)>& tell);

/// Collective: prepares, transforms once, and returns how far the output's sum of squares is from N times the input's,
/// relative.
[[nodiscard]] double parseval_error(contender& one, double transform_length, const ranks& on);

}  // namespace weft::tool
