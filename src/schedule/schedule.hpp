// SPDX-License-Identifier: BSD-3-Clause
// A schedule: what to transform and where to move, one stage after the other. Pure values; the
// inverse is derived, never written by hand.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "index/cosine_order.hpp"
#include "index/digits.hpp"
#include "index/fold.hpp"
#include "index/line_kind.hpp"
#include "index/modes.hpp"
#include "weft/distribution.hpp"
#include "weft/types.hpp"

namespace weft::core {

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

/// Sees axes as the digits of their indices, or the digits as whole axes again. Nothing moves: `to` gives
/// every rank what it has.
struct view_stage {
  digit_list digits;  ///< empty: whole axes again
  distribution to;
  friend bool operator==(const view_stage&, const view_stage&) = default;
};

/// Multiplies by the roots of unity that stand between the transform of a digit and those of the less
/// significant digits of its axis (see can_turn()): after T where digits ascend, before it where they do not.
struct twiddle_stage {
  std::vector<int> axes;
  friend bool operator==(const twiddle_stage&, const twiddle_stage&) = default;
};

using stage = std::variant<transform_stage, redistribute_stage, view_stage, twiddle_stage>;

struct schedule {
  direction way = direction::forward;
  extents shape;                 ///< logical: the real side's for real transforms
  std::vector<line_kind> kinds;  ///< what each axis becomes forward; none where it is not transformed
  distribution input;
  std::vector<stage> stages;
  extents modes = {};  ///< kept of each axis, see index/modes.hpp; empty: all
  /// What the array has before the transforms forward and behind them; without corners: all.
  box input_box = {}, output_box = {};

  friend bool operator==(const schedule&, const schedule&) = default;
};

/// The axis that is halved, -1 for none.
[[nodiscard]] int real_axis(const schedule& s);
/// What is kept of the modes of a whole axis, and of its elements before the transform forward.
[[nodiscard]] kept_modes kept_of(const schedule& s, int axis);
[[nodiscard]] kept_modes given_of(const schedule& s, int axis);
/// The shape before all transforms forward.
[[nodiscard]] extents given_shape(const schedule& s);
/// The shape after all transforms forward.
[[nodiscard]] extents modes_shape(const schedule& s);

/// The array between two stages.
struct station {
  distribution at;
  digit_list digits;  ///< how its axes are seen
  /// Cannot be told from the shape: an axis of 1 or 2 keeps its extent when it is halved.
  element_type element = element_type::complex;
};

/// The array before the first stage and after each: stages.size() + 1 stations. A transform that changes an extent
/// changes the distribution with it.
[[nodiscard]] std::vector<station> stations_of(const schedule& s);
/// What a transform of the seen `axis` at a station makes of its lines, in the direction of the schedule;
/// none where there is no such axis or nothing that its lines could become.
[[nodiscard]] line_kind kind_at(const schedule& s, const station& here, int axis);
/// The kinds of all transforms of a stage at `here`: the first may leave other elements to those behind it.
[[nodiscard]] std::vector<line_kind> kinds_at(const schedule& s, const station& here, const transform_stage& t);
/// Whether digits are transformed from the first of an axis to the last, each with twiddles behind it; else the other
/// way, with twiddles before each. Forward they are, but those of a dct3 are those of a dct2 backward.
[[nodiscard]] bool digits_ascend(const schedule& s);
/// The number of the real axis at a station, -1 for none.
[[nodiscard]] int real_axis_at(const schedule& s, const station& here);
/// The axis with a cosine transform that is seen as digits, -1 for none.
[[nodiscard]] int cosine_axis_at(const schedule& s, const station& here);
/// Whether its digits there are those of the coefficients, rather than of the elements or of what is between.
[[nodiscard]] bool has_coefficients(const schedule& s, const station& here);
/// Elements of the lines that a transform of the seen `axis` has at a station: those of the real side for
/// the first digit of the real axis.
[[nodiscard]] integer length_at(const schedule& s, const station& here, int axis);
/// The root of unity by which `rank` turns neighbours along `axis` in a twiddle stage at `here`. Where it has several
/// indices of a later digit, the shift grows by `step` with the position along that one. All are turned by `first`
/// besides.
struct digit_turn {
  rotation by;
  int across = -1;
  integer step = 0;
  integer first = 0;
};
[[nodiscard]] digit_turn turn_at(const schedule& s, const station& here, int axis, int rank);
/// Whether twiddles can stand behind the transform of `axis`: of the later digits of its axis each rank has one index,
/// but for one digit, of which it may have a progression. Not all of it: what is whole would be transformed in the same
/// passes, with the twiddles in between.
[[nodiscard]] bool can_turn(const distribution& here, const digit_list& digits, int axis);
/// The order in which an axis with a cosine transform is seen as digits, where it is: before a dct2, and on either side
/// of a dct4.
[[nodiscard]] std::optional<cosine_order> cosine_order_at(const schedule& s, const station& here, int rank);
/// How the modes of the real axis lie behind its digits, where it has two on the complex side, or the coefficients of
/// a dct2 behind theirs.
[[nodiscard]] std::optional<fold> fold_at(const schedule& s, const station& here, int rank);
[[nodiscard]] distribution output_of(const schedule& s);
[[nodiscard]] int exchanges_of(const schedule& s);
/// Whether transforms behind an exchange drop some of what they make. What is left may be small beside what came with
/// the exchange, and so beside its rounding.
[[nodiscard]] bool drops_after_exchange(const schedule& s);

/// Whether ranks own the same in both, also of what axes become that a box had shortened: of a single element all is
/// the same.
[[nodiscard]] bool moves_nothing(const schedule& s, const distribution& from, const distribution& to, int ranks);

/// Without redistributions that move nothing or whose result is moved on at once.
[[nodiscard]] schedule simplified(const schedule& s, int ranks);

/// The same transform backwards.
[[nodiscard]] schedule inverse(const schedule& s);

/// The axes of the array that are transformed.
[[nodiscard]] std::vector<int> transformed_axes(const schedule& s);

/// Throws internal_error unless every stage is possible where it stands and each of `axes` is
/// transformed exactly once.
void validate(const schedule& s, const std::vector<int>& axes);

/// "forward 30x21x14: [b0 * *]@7 | T(2,1) | R[* b0 *]@7 | T(0)"; a halved axis is named before the
/// colon as "half 2", and where there are cosine or sine transforms the kinds of all axes, as "kinds dct2,c2c,none".
/// Where not all modes are kept their number comes before that, as "modes 20x14x14", and corners of boxes do, as "given
/// 0x3x0 30x9x14" and "wanted 1x2x3 4x5x6".
/// With an axis in two digits:
/// "forward 64: [c0]@4 | V(16x4)[* c0]@4 | T(0) | W(0) | R[c0 *]@4 | T(1) | V[c0]@4".
[[nodiscard]] std::string to_text(const schedule& s);
[[nodiscard]] std::string to_text(const stage& s);
[[nodiscard]] schedule parse_schedule(std::string_view text);

}  // namespace weft::core
