// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/four_step.hpp"

#include <algorithm>

#include "algorithm/transposition.hpp"
#include "base/among.hpp"

namespace weft::algorithm {

namespace {

/// How many distributions to work in are worth pricing.
constexpr std::size_t most_cores = 6;
/// An axis of fewer elements is not worth blocks.
constexpr integer least_in_blocks = 1024;
/// So many elements between neighbours along an axis make runs of a few cache lines.
constexpr integer most_between = 8;
/// How many combinations of ranks on the axes are looked at.
constexpr int most_combinations = 20000;

using base::among;

integer points_of(const chain& splits, const grid& on) {
  integer points = 1;
  for (const auto& s : splits) points *= on[s.grid_axis];
  return points;
}

/// The size of the blocks that are dealt cyclically; 0 where something else is done. Only a single grid axis deals
/// blocks of more than one.
integer block_of(const chain& splits) {
  for (const auto& s : splits) {
    if (s.how != split::kind::cyclic || (s.block_size != 1 && splits.size() > 1)) return 0;
  }
  return splits.empty() ? 0 : splits[0].block_size;
}

bool is_block(const chain& splits) { return splits.size() == 1 && splits[0].how == split::kind::block; }

/// The blocks of an axis of n elements, dealt cyclically to p ranks with p*p dividing n, that make its digits as equal
/// as they can be.
integer even_block(integer n, integer p) {
  const integer rest = n / (p * p);
  integer best = 1;
  for (integer d = 1; d * d <= rest; ++d) {
    if (rest % d == 0) best = rest / d;
  }
  return best;
}

/// Whether no other axis could be split over p ranks instead.
bool stands_alone(const task& problem, int axis, integer p) {
  for (int l = 0; l < static_cast<int>(problem.shape.size()); ++l) {
    if (l != axis && l != problem.batch_axis && problem.shape[static_cast<std::size_t>(l)] >= p) return false;
  }
  return true;
}

/// What is left of p when every factor m is taken out.
integer rest_of(integer p, integer m) {
  while (p % m == 0) p /= m;
  return p;
}

bool is_all_real(const task& problem) {
  return problem.real_axis() < 0 && element_before(problem.kinds) == element_type::real;
}

/// Whether a cosine transform of this axis can be seen as digits: in a real array, where it makes complex numbers of
/// pairs of elements.
bool has_cosine_digits(const task& problem, int axis) {
  const line_row& digit = row_of(row_of(problem.kinds[static_cast<std::size_t>(axis)]).later_digits);
  return is_all_real(problem) && problem.for_lines && digit.kind == line_kind::dct2_digit;
}

/// Whether there is one whose digits go backward: that of the inverse transform.
bool has_backward_digits(const task& problem) {
  return is_all_real(problem) &&
         std::ranges::any_of(problem.kinds, [](line_kind k) { return !row_of(row_of(k).first_digit).forward; });
}

/// The axis whose indices and their negatives must lie together behind the transforms, -1 for none: of `axes`, that of
/// real elements.
int mirrored_axis(const task& problem, const std::vector<int>& axes) {
  const auto found = std::ranges::find_if(axes, [&](int l) { return has_cosine_digits(problem, l); });
  return found == axes.end() ? problem.real_axis() : *found;
}

/// How the coefficients of cosines are dealt, or the modes of a halved axis: an index and its negative lie together, or
/// the indices j and n-1-j.
split::kind split_after(const task& problem, int mirrored_axis) {
  const bool type4 = mirrored_axis >= 0 && problem.kinds[static_cast<std::size_t>(mirrored_axis)] == line_kind::dct4;
  return type4 ? split::kind::half_zigzag : split::kind::zigzag;
}

/// How an axis of n = m p elements on p ranks is cut.
struct axis_cut {
  /// Where p = m^e r and r divides m, each fits into the m elements that a rank has. For other multiples of m
  /// the digit in the middle may be larger, and few ranks have work while it is whole.
  extents digits;
  /// Sizes of the grid axes that replace the one of p points, least significant first, so that both the
  /// input's and the output's digits over the ranks take whole ones.
  std::vector<int> points;
};

axis_cut cut_in_blocks(integer n, integer p, integer block) {
  return {{n / p / block, p * block}, {static_cast<int>(p)}};
}

axis_cut cut_of(integer n, integer p, integer block) {
  const integer m = n / p;
  if (block > 1) return cut_in_blocks(n, p, block);
  if (m % p == 0) return {{m, p}, {static_cast<int>(p)}};
  const integer rest = rest_of(p, m);
  if (m % rest != 0) return {{m, p / m, m}, {static_cast<int>(m), static_cast<int>(p / m)}};
  axis_cut cut{{m}, {}};
  for (integer left = p; left % m == 0; left /= m) cut.digits.push_back(m);
  if (rest > 1) cut.digits.push_back(rest);
  for (integer left = p; left > 1;) {
    for (const integer f : {rest, m / rest}) {
      if (f > 1 && left % f == 0) {
        cut.points.push_back(static_cast<int>(f));
        left /= f;
      }
    }
  }
  return cut;
}

/// `core` seen as digits, before and after the transforms.
class digit_view {
 public:
  /// `mirrored_axis`: that of real elements, which is dealt zig-zag before the transforms, or behind them, or both.
  digit_view(const distribution& core, const std::vector<int>& axes, int mirrored_axis, split::kind mirrored_after)
      : core_(core), axes_(axes), mirrored_axis_(mirrored_axis), mirrored_after_(mirrored_after) {
    std::vector<std::vector<int>> parts;  // of each grid axis, least significant first
    for (int g = 0; g < core.on().axes(); ++g) parts.push_back({core.on()[g]});
    for (const integer n : core.shape()) digits_.push_back({n});
    for (const int l : axes) {
      const auto& splits = core.chains()[static_cast<std::size_t>(l)];
      const integer n = core.shape()[static_cast<std::size_t>(l)], p = points_of(splits, core.on());
      auto cut = is_block(splits) ? cut_in_blocks(n, p, even_block(n, p)) : cut_of(n, p, block_of(splits));
      digits_[static_cast<std::size_t>(l)] = std::move(cut.digits);
      if (splits.size() == 1) parts[static_cast<std::size_t>(splits[0].grid_axis)] = std::move(cut.points);
    }
    std::vector<int> shape;
    for (const auto& sizes : parts) {
      std::vector<int> numbers;
      for (std::size_t i = sizes.size(); i-- > 0;) {
        numbers.insert(numbers.begin(), static_cast<int>(shape.size()));
        shape.push_back(sizes[i]);
      }
      new_axes_.push_back(std::move(numbers));
    }
    fits_ = shape.size() <= static_cast<std::size_t>(max_named_grid_axes) &&
            shape_of(digits_).size() <= static_cast<std::size_t>(max_axes);
    if (fits_) grid_ = grid(shape);
  }

  [[nodiscard]] bool fits() const { return fits_; }
  [[nodiscard]] const digit_list& digits() const { return digits_; }

  [[nodiscard]] distribution before() const { return dealt_to_digits(core_.chains(), true); }

  /// Where the core's array lies after the transforms: as before, but blocks are parts of the first digit, and if
  /// an axis of real elements is split, zig-zag, so that the ranks have an index and its negative.
  [[nodiscard]] distribution core_after(const extents& shape) const {
    auto chains = core_.chains();
    for (const int l : axes_) {
      auto& splits = chains[static_cast<std::size_t>(l)];
      if (!deals_blocks(splits)) continue;
      splits[0].how = split::kind::cyclic;
      splits[0].block_size = digits_[static_cast<std::size_t>(l)][0] / core_.on()[splits[0].grid_axis];
    }
    if (among(mirrored_axis_, axes_)) {
      for (const int l : axes_) chains[static_cast<std::size_t>(l)][0].how = mirrored_after_;
    }
    return {shape, core_.on(), std::move(chains)};
  }

  /// Whether `whole`, a distribution of the output, can be seen through the digits.
  [[nodiscard]] bool can_see(const distribution& whole) const {
    if (whole.is_bricks() || whole.on() != core_.on()) return false;
    const auto seen = core_after(whole.shape());
    for (int l = 0; l < whole.axes(); ++l) {
      const auto& splits = whole.chains()[static_cast<std::size_t>(l)];
      if (among(l, axes_)) {
        // Natural order, of which the last digit has the blocks.
        const auto& mine = core_.chains()[static_cast<std::size_t>(l)];
        if (deals_blocks(mine) && is_block(splits) && splits[0].grid_axis == mine[0].grid_axis) continue;
        if ((!splits.empty() || l == mirrored_axis_) && splits != seen.chains()[static_cast<std::size_t>(l)])
          return false;
        continue;
      }
      // A grid axis that is cut finer deals cyclically only.
      for (const auto& s : splits) {
        if (new_axes_[static_cast<std::size_t>(s.grid_axis)].size() > 1) return false;
      }
    }
    return true;
  }
  [[nodiscard]] distribution after(const distribution& whole) const { return dealt_to_digits(whole.chains(), false); }

 private:
  /// Whether digits are split by blocks.
  static bool deals_blocks(const chain& splits) { return block_of(splits) > 1 || is_block(splits); }

  /// The splits of one chain on the refined grid; of a cyclic one the least significant residue comes first.
  [[nodiscard]] chain renumbered(const chain& splits) const {
    chain finer;
    for (const auto& s : splits) {
      const auto& numbers = new_axes_[static_cast<std::size_t>(s.grid_axis)];
      // Only axes of `axes_` are cut finer, and those are cyclic from coordinate 0 on.
      for (const int g : numbers) finer.push_back({s.how, g, s.block_size, s.first});
    }
    return finer;
  }

  /// Deals the splits of the whole axis to its digits, least significant first.
  [[nodiscard]] distribution dealt_to_digits(const std::vector<chain>& whole, bool first_leads) const {
    std::vector<chain> chains;
    for (std::size_t l = 0; l < whole.size(); ++l) {
      const chain finer = renumbered(whole[l]);
      const extents& sizes = digits_[l];
      if (sizes.size() == 1) {
        chains.push_back(finer);
        continue;
      }
      std::vector<chain> dealt(sizes.size());
      if (deals_blocks(core_.chains()[l])) {
        // Blocks of the whole axis are those of the digit that leads, others those of the one behind.
        const bool first = is_block(finer) == first_leads;
        for (const auto& s : finer) dealt[first ? 0 : 1].push_back({split::kind::block, s.grid_axis, 1, s.first});
        chains.insert(chains.end(), dealt.begin(), dealt.end());
        continue;
      }
      auto next = finer.begin();
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::size_t digit = first_leads ? sizes.size() - 1 - i : i;
        for (integer points = 1; points < sizes[digit] && next != finer.end(); ++next) {
          points *= grid_[next->grid_axis];
          dealt[digit].push_back(*next);
          // Of a digit each rank has one value.
          if (next->how == split::kind::half_zigzag) dealt[digit].back().how = split::kind::cyclic;
        }
      }
      chains.insert(chains.end(), dealt.begin(), dealt.end());
    }
    return {shape_of(digits_), grid_, std::move(chains)};
  }

  const distribution& core_;
  const std::vector<int>& axes_;
  int mirrored_axis_;
  split::kind mirrored_after_;
  digit_list digits_;
  grid grid_;
  std::vector<std::vector<int>> new_axes_;  // of each grid axis, least significant first
  bool fits_ = true;
};

/// The kinds of digits as axes of their own.
std::vector<line_kind> kinds_of_digits(const std::vector<line_kind>& kinds, const digit_list& digits) {
  std::vector<line_kind> seen;
  for (std::size_t l = 0; l < kinds.size(); ++l) {
    seen.push_back(digits[l].size() > 1 ? row_of(kinds[l]).first_digit : kinds[l]);
    seen.insert(seen.end(), digits[l].size() - 1, row_of(kinds[l]).later_digits);
  }
  return seen;
}

/// The schedule of the whole axes around one of their digits.
schedule wrapped(const task& problem, const distribution& core, const distribution& core_out, const digit_list& digits,
                 const schedule& inner) {
  schedule s{direction::forward, problem.shape, problem.kinds, problem.in.value_or(core), {}};
  if (problem.in) s.stages.emplace_back(redistribute_stage{core});
  s.stages.emplace_back(view_stage{digits, inner.input});
  s.stages.insert(s.stages.end(), inner.stages.begin(), inner.stages.end());
  s.stages.emplace_back(view_stage{{}, core_out});
  if (problem.out) {
    s.stages.emplace_back(redistribute_stage{*problem.out});
  } else if (problem.out_same && (problem.in || problem.real_axis() < 0)) {
    s.stages.emplace_back(redistribute_stage{problem.in.value_or(core).with_shape(core_out.shape())});
  }
  return simplified(s, problem.ranks);
}

}  // namespace

axis_split split_of(integer n, integer p, integer block) {
  if (p < 2 || block < 1 || n % p != 0 || n / p % block != 0) return axis_split::none;
  const integer m = n / p / block;
  if (m > 0 && m % p == 0) return axis_split::four_step;
  return block == 1 && m > 1 && p % m == 0 ? axis_split::group_cyclic : axis_split::none;
}

std::vector<distributed_axis> distributed_transforms(const task& problem, const distribution& core) {
  std::vector<distributed_axis> found;
  bool has_cosines = false;
  for (const int l : problem.axes) {
    if (core.is_local(l)) continue;
    const auto& splits = core.chains()[static_cast<std::size_t>(l)];
    const integer p = points_of(splits, core.on());
    const integer n = problem.shape[static_cast<std::size_t>(l)];
    if (has_cosine_digits(problem, l)) {
      const bool suits =
          !has_cosines && splits.size() == 1 && splits[0].how == split::kind::half_zigzag && n % (2 * p * p) == 0;
      has_cosines = has_cosines || suits;
      found.push_back({l, suits ? axis_split::four_step : axis_split::none, suits});
      continue;
    }
    const bool has_digits = is_fourier(problem.kinds[static_cast<std::size_t>(l)]);
    const integer block = is_block(splits) && stands_alone(problem, l, p) ? 1 : block_of(splits);
    const bool single = block == 1 && !is_block(splits);
    auto how = has_digits && (single || problem.for_lines) ? split_of(n, p, block) : axis_split::none;
    if (is_block(splits) && how == axis_split::group_cyclic) how = axis_split::none;
    // A chain of several splits is moved as it is; only a single grid axis is cut finer. Turning a coordinate is not
    // turning its digits.
    if (how == axis_split::group_cyclic && (splits.size() > 1 || splits[0].first != 0)) how = axis_split::none;
    const bool mirrors = how == axis_split::four_step && splits.size() == 1 && single && n % (2 * p * p) == 0;
    found.push_back({l, l == problem.real_axis() ? axis_split::none : how, mirrors});
  }
  return found;
}

std::vector<schedule> digit_transpositions(const task& problem, const distribution& core, const std::vector<int>& axes,
                                           int moves) {
  const int mirrored = mirrored_axis(problem, axes);
  const digit_view view(core, axes, mirrored, split_after(problem, mirrored));
  if (!view.fits()) return {};
  const extents half = problem.after();
  distribution core_out = view.core_after(half);
  auto wanted = problem.out;
  if (problem.out_same && problem.in) wanted = problem.in->with_shape(half);
  if (wanted && view.can_see(*wanted)) core_out = *wanted;

  task inner = problem;
  inner.digits = view.digits();
  inner.shape = shape_of(inner.digits);
  inner.kinds = kinds_of_digits(problem.kinds, inner.digits);
  if (problem.batch_axis >= 0) inner.batch_axis = first_digit(inner.digits, problem.batch_axis);
  inner.axes.clear();
  for (const int l : problem.axes) {
    for (std::size_t i = 0; i < inner.digits[static_cast<std::size_t>(l)].size(); ++i) {
      inner.axes.push_back(first_digit(inner.digits, l) + static_cast<int>(i));
    }
  }
  inner.in = view.before();
  inner.out = view.after(core_out).with_shape(inner.after());
  inner.out_same = false;
  std::vector<schedule> schedules;
  for (const auto& s : transpositions(inner, *inner.in, moves)) {
    schedules.push_back(wrapped(problem, core, core_out, inner.digits, s));
  }
  return schedules;
}

namespace {

/// What undoes the transform of an array that is real on either side.
task inverse_of(const task& problem) {
  task back = problem;
  for (auto& kind : back.kinds) kind = row_of(kind).inverse;
  back.in = problem.out_same ? problem.in : problem.out;
  back.out = problem.in;
  back.out_same = false;
  return back;
}

/// Schedules for the inverse of a task, each turned round.
std::vector<schedule> turned_round(const task& problem, const std::vector<schedule>& back) {
  std::vector<schedule> schedules;
  for (const auto& b : back) {
    schedule s = inverse(b);
    s.way = direction::forward;
    s.kinds = problem.kinds;
    // Axes whose digits go forward were found before.
    if (digits_ascend(s) || (problem.on && !problem.in && s.input.on() != *problem.on)) continue;
    if (problem.out_same && !problem.in) s.stages.emplace_back(redistribute_stage{s.input});
    schedules.push_back(simplified(s, problem.ranks));
  }
  return schedules;
}

std::vector<schedule> four_step_schedules(const task& problem, int moves) {
  const auto suits = [&](const distribution& core) {
    const auto split = distributed_transforms(problem, core);
    const bool real_split = problem.real_axis() >= 0 && !core.is_local(problem.real_axis());
    return !split.empty() && std::ranges::all_of(split, [&](const auto& a) {
      return real_split ? a.mirrors : a.how == axis_split::four_step;
    });
  };
  std::vector<schedule> schedules;
  for (const auto& core : cyclic_cores(problem, suits)) {
    std::vector<int> axes;
    for (const auto& a : distributed_transforms(problem, core)) axes.push_back(a.axis);
    for (auto& s : digit_transpositions(problem, core, axes, moves)) schedules.push_back(std::move(s));
  }
  return schedules;
}

}  // namespace

proposal propose_four_step(const task& problem, int moves) {
  if (!problem.keeps_all()) return {{}, all_modes_only};
  auto schedules = four_step_schedules(problem, moves);
  if (has_backward_digits(problem)) {
    const task back = inverse_of(problem);
    for (auto& s : turned_round(problem, four_step_schedules(back, moves))) schedules.push_back(std::move(s));
  }
  if (schedules.empty()) {
    return {
        {},
        "no axis of n elements with a c2c transform can be cyclic over p ranks with p*p dividing n, nor one of real "
        "elements with a dct2, dct3 or dct4 zig-zag with 2*p*p dividing n"};
  }
  return {std::move(schedules), {}};
}

namespace {

/// Blocks in which an axis is best dealt to `points` ranks: large ones where elements are about adjacent along it.
integer block_for(const task& problem, int axis, integer points) {
  const integer n = problem.shape[static_cast<std::size_t>(axis)];
  const bool adjacent = volume({problem.shape.begin() + axis + 1, problem.shape.end()}) <= most_between;
  return adjacent && problem.for_lines && n >= least_in_blocks ? even_block(n, points) : 1;
}

/// Where an array with a cosine transform would lie so that it came to lie as the output that is asked for; none if
/// that is not asked for, or there is no such transform.
std::optional<distribution> before_output(const task& problem) {
  if (!problem.out || problem.out->is_bricks() || (problem.on && problem.out->on() != *problem.on)) return std::nullopt;
  auto chains = problem.out->chains();
  bool any = false;
  for (const int l : problem.axes) {
    auto& splits = chains[static_cast<std::size_t>(l)];
    if (splits.empty() || !has_cosine_digits(problem, l)) continue;
    if (splits[0].how == split_after(problem, l)) splits[0].how = split::kind::half_zigzag;
    any = true;
  }
  if (!any) return std::nullopt;
  return distribution(problem.before(), problem.out->on(), std::move(chains));
}

}  // namespace

std::vector<distribution> cyclic_cores(const task& problem, const std::function<bool(const distribution&)>& suits) {
  if (problem.in && !problem.in->is_bricks() && suits(*problem.in)) return {*problem.in};
  if (const auto core = problem.in ? std::nullopt : before_output(problem); core && suits(*core)) return {*core};
  // Of each axis that may be split, the p that suit it.
  std::vector<int> axes;
  std::vector<std::vector<int>> choices;
  bool cosines = false;
  for (const int l : problem.axes) {
    const integer n = problem.shape[static_cast<std::size_t>(l)];
    const bool of_cosines = has_cosine_digits(problem, l);
    if (l == problem.real_axis() || !(of_cosines || is_fourier(problem.kinds[static_cast<std::size_t>(l)]))) continue;
    cosines = cosines || of_cosines;
    axes.push_back(l);
    choices.push_back({1});
    const integer twice = of_cosines ? 2 : 1;
    for (integer p = 2; twice * p * p <= n && p <= problem.ranks; ++p) {
      if (n % (twice * p * p) == 0) choices.back().push_back(static_cast<int>(p));
    }
  }
  std::vector<std::vector<int>> best;  // points of each axis, of the combinations with most ranks
  int most = 2, visits = 0;
  std::vector<int> points(axes.size(), 1);
  const auto place = [&](auto&& self, std::size_t next, int ranks) -> void {
    if (++visits > most_combinations) return;
    if (next == axes.size()) {
      if (ranks < most) return;
      if (ranks > most) best.clear();
      most = ranks;
      if (best.size() < most_cores) best.push_back(points);
      return;
    }
    for (auto p = choices[next].rbegin(); p != choices[next].rend(); ++p) {
      if (*p > problem.ranks / ranks) continue;
      if (*p > 1 && ranks > 1 && cosines) continue;  // one axis of cosines can be split
      points[next] = *p;
      self(self, next + 1, ranks * *p);
    }
    points[next] = 1;
  };
  place(place, 0, 1);
  std::vector<distribution> found;
  for (const auto& chosen : best) {
    std::vector<int> shape;
    std::vector<chain> chains(problem.shape.size());
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (chosen[i] == 1) continue;
      const auto how = cosines ? split::kind::half_zigzag : split::kind::cyclic;
      const integer block = cosines ? 1 : block_for(problem, axes[i], chosen[i]);
      chains[static_cast<std::size_t>(axes[i])] = {{how, static_cast<int>(shape.size()), block}};
      shape.push_back(chosen[i]);
    }
    if (static_cast<int>(shape.size()) > max_named_grid_axes) continue;
    if (problem.on && !problem.in && problem.on->shape() != shape) continue;
    distribution core(problem.shape, grid(shape), std::move(chains));
    if (suits(core)) found.push_back(std::move(core));
  }
  return found;
}

}  // namespace weft::algorithm
