// A schedule: what to transform and where to move, one stage after the other. Pure values; the
// inverse is derived, never written by hand.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/distribution.hpp"
#include "weft/types.hpp"

namespace weft {

/// Transforms these axes, in this order; all must be whole on every rank.
struct transform_stage {
  std::vector<int> axes;
  friend bool operator==(const transform_stage&, const transform_stage&) = default;
};

/// Moves the array to another distribution.
struct redistribute_stage {
  distribution to;
  friend bool operator==(const redistribute_stage&, const redistribute_stage&) = default;
};

using stage = std::variant<transform_stage, redistribute_stage>;

struct schedule {
  direction way = direction::forward;
  extents shape;       ///< logical: the real side's for real transforms
  int real_axis = -1;  ///< the axis that is halved, -1 for none
  distribution input;
  std::vector<stage> stages;

  friend bool operator==(const schedule&, const schedule&) = default;
};

/// Extents of the complex side: real_axis (if any) holds n/2+1 modes.
[[nodiscard]] extents halved(const extents& shape, int real_axis);

/// Where the array lies before the first stage and after each: stages.size() + 1 distributions. The
/// transform of the real axis changes the shape, and its distribution with it.
[[nodiscard]] std::vector<distribution> stations_of(const schedule& s);
[[nodiscard]] distribution output_of(const schedule& s);
[[nodiscard]] int exchanges_of(const schedule& s);

/// Without redistributions that move nothing or whose result is moved on at once.
[[nodiscard]] schedule simplified(const schedule& s, int ranks);

/// The same transform backwards.
[[nodiscard]] schedule inverse(const schedule& s);

/// Throws internal_error unless every stage is possible where it stands and each of `axes` is
/// transformed exactly once.
void validate(const schedule& s, const std::vector<int>& axes);

/// "forward 30x21x14: [b0 * *]@7 | T(2,1) | R[* b0 *]@7 | T(0)"; a halved axis is named before the
/// colon as "half 2".
[[nodiscard]] std::string to_text(const schedule& s);
[[nodiscard]] std::string to_text(const stage& s);
[[nodiscard]] schedule parse_schedule(std::string_view text);

}  // namespace weft
