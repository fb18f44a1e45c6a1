// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/transposition.hpp"

#include <algorithm>
#include <utility>

#include "base/among.hpp"
#include "index/chain.hpp"

namespace weft::algorithm {

namespace {

using base::among;

/// How many are worth pricing.
constexpr std::size_t most_schedules = 8;
/// How many stations a search may come to: with many axes there are more routes than can be told apart.
constexpr int most_visits = 3000;
/// Beyond this there is no route.
constexpr int no_route_visits = 20 * most_visits;
/// No route has as many: an axis is moved about twice.
constexpr int most_exchanges = 4 * max_axes;

/// Depth-first search over the moves of chains.
class route_search {
 public:
  route_search(const task& problem, int moves) : problem_(problem), moves_(moves), after_(problem.after()) {}

  std::vector<schedule> from(const distribution& start) {
    schedule s{direction::forward, problem_.shape,     problem_.kinds,     problem_.in.value_or(start), {},
               problem_.modes,     problem_.input_box, problem_.output_box};
    if (problem_.out) {
      out_ = problem_.out;
    } else if (problem_.out_same) {
      out_ = s.input.with_shape(after_);
    }
    std::vector<int> done;
    // Leaving the input's layout is an exchange; what is whole there is transformed on the way.
    if (problem_.in && !moves_nothing(s, *problem_.in, start, problem_.ranks)) {
      transform_local(s, s.input, done);
      s.stages.emplace_back(redistribute_stage{start.with_shape(shape_at(done))});
      least_ = 1 + least_from(start, done);
      search(s, start.with_shape(shape_at(done)), done, 1);
    } else {
      least_ = least_from(start, done);
      search(s, start, done, 0);
    }
    std::vector<schedule> best;
    for (auto& f : found_) {
      if (f.exchanges == fewest_) best.push_back(std::move(f.route));
      if (best.size() == most_schedules) break;
    }
    return best;
  }

 private:
  struct candidate {
    int exchanges;
    schedule route;
  };

  [[nodiscard]] bool real_pending(const std::vector<int>& done) const {
    return problem_.real_axis() >= 0 && !among(problem_.real_axis(), done);
  }
  [[nodiscard]] extents shape_at(const std::vector<int>& done) const {
    extents shape = problem_.before();
    for (const int axis : done) shape[static_cast<std::size_t>(axis)] = after_[static_cast<std::size_t>(axis)];
    return shape;
  }

  /// Appends the transform of everything still to do that is whole in `here`; the contiguous axes
  /// first, but the real axis before all others.
  void transform_local(schedule& s, const distribution& here, std::vector<int>& done) const {
    std::vector<int> order(problem_.axes.rbegin(), problem_.axes.rend());
    if (real_pending(done)) {
      std::stable_partition(order.begin(), order.end(), [&](int l) { return l == problem_.real_axis(); });
    }
    std::stable_partition(order.begin(), order.end(), [&](int l) { return !is_last_real_digit(l); });
    transform_stage t;
    twiddle_stage w;
    for (const int axis : order) {
      if (among(axis, done)) continue;
      const bool last = done.size() + t.axes.size() + 1 == problem_.axes.size();
      const bool possible = is_whole(here, axis) && in_turn(axis, done) && can_turn(here, problem_.digits, axis) &&
                            (problem_.for_lines || later_digits_single(here, axis)) &&
                            (last || !is_last_real_digit(axis));
      if (!possible) {
        if (axis == problem_.real_axis() && real_pending(done)) return;
        continue;
      }
      t.axes.push_back(axis);
      if (has_later_digit(problem_.digits, axis)) w.axes.push_back(axis);
    }
    if (t.axes.empty()) return;
    done.insert(done.end(), t.axes.begin(), t.axes.end());
    s.stages.emplace_back(std::move(t));
    if (!w.axes.empty()) s.stages.emplace_back(std::move(w));
  }

  /// Whether an axis still to do is whole. One element of it is, wherever it lies, but not what it becomes behind a
  /// box.
  [[nodiscard]] bool is_whole(const distribution& here, int axis) const {
    if (!here.is_local(axis)) return false;
    extents shape = here.shape();
    integer& extent = shape[static_cast<std::size_t>(axis)];
    extent = std::max(extent, after_[static_cast<std::size_t>(axis)]);
    return here.with_shape(shape).is_local(axis);
  }

  /// Whether the digit before `axis` in its axis, if there is one, is done.
  [[nodiscard]] bool in_turn(int axis, const std::vector<int>& done) const {
    return problem_.digits.empty() || place_of_digit(problem_.digits, axis).digit == 0 || among(axis - 1, done);
  }
  /// Whether ranks have one index of each digit still to come. The first rank has the longest part.
  [[nodiscard]] bool later_digits_single(const distribution& here, int axis) const {
    while (has_later_digit(problem_.digits, axis)) {
      if (count(here.part(first_rank(here), ++axis)) > 1) return false;
    }
    return true;
  }
  /// The digit after which mirror images are told apart: nothing may be transformed after it.
  [[nodiscard]] bool is_last_real_digit(int axis) const {
    return problem_.real_axis() >= 0 && axis == problem_.real_axis() + 1 && has_later_digit(problem_.digits, axis - 1);
  }
  [[nodiscard]] bool is_digit(int axis) const {
    return has_later_digit(problem_.digits, axis) ||
           (!problem_.digits.empty() && place_of_digit(problem_.digits, axis).digit > 0);
  }

  /// No route from `here` has fewer exchanges. One frees as many axes as are moved, and the one to the output all
  /// that are whole there; what is split in both must be freed before that.
  [[nodiscard]] int least_from(const distribution& here, const std::vector<int>& done) const {
    int split = 0, split_again = 0;
    for (const int axis : problem_.axes) {
      if (among(axis, done) || is_whole(here, axis)) continue;
      ++split;
      if (out_ && !out_->is_local(axis)) ++split_again;
    }
    // Chains change places with whole axes, whose number stays.
    int whole = 0;
    for (int l = 0; l < here.axes(); ++l) whole += l != problem_.batch_axis && here.is_local(l) ? 1 : 0;
    const int freed = std::max(1, std::min(moves_, whole));
    if (!out_) return (split + freed - 1) / freed;
    return split == 0 ? 0 : (split_again + freed - 1) / freed + 1;
  }

  void keep(const schedule& s) {
    schedule simple = simplified(s, problem_.ranks);
    const int exchanges = exchanges_of(simple);
    fewest_ = std::min(fewest_, exchanges);
    if (exchanges <= least_) ++shortest_;
    found_.push_back({exchanges, std::move(simple)});
  }

  /// Whether more routes are not worth looking for: those that would be taken are found, or it has taken too long.
  [[nodiscard]] bool enough() const {
    return shortest_ >= most_schedules || (visits_ > most_visits && !found_.empty()) || visits_ > no_route_visits;
  }

  void search(schedule s, distribution here, std::vector<int> done, int exchanges) {
    ++visits_;
    if (exchanges > fewest_ || enough()) return;
    transform_local(s, here, done);
    here = here.with_shape(shape_at(done));
    if (done.size() == problem_.axes.size()) {
      if (out_ && *out_ != here) s.stages.emplace_back(redistribute_stage{*out_});
      return keep(s);
    }
    finish_in_output(s, done);
    if (exchanges < fewest_ && !here.is_bricks()) move_chains(s, here, done, exchanges);
  }

  /// If all that is left is whole in the output's layout, go straight there. The real axis must be
  /// done, and boxes have one shape: the output's.
  void finish_in_output(schedule s, std::vector<int> done) {
    if (!out_ || real_pending(done)) return;
    if (out_->is_bricks() && shape_at(done) != after_) return;
    // An axis that keeps one mode is whole in the output, however it is split, but not before.
    const distribution there = out_->with_shape(shape_at(done));
    int left = 0;
    for (const int axis : problem_.axes) {
      if (among(axis, done)) continue;
      if (!is_whole(there, axis)) return;
      ++left;
    }
    // Digits are moved axis by axis if that was asked for; whole axes may all go at once.
    if (!problem_.digits.empty() && left > moves_) return;
    s.stages.emplace_back(redistribute_stage{there});
    transform_local(s, there, done);
    if (done.size() == problem_.axes.size()) keep(s);
  }

  void move_chains(const schedule& s, const distribution& here, const std::vector<int>& done, int exchanges) {
    std::vector<int> sources, targets;
    for (int l = 0; l < here.axes(); ++l) {
      const bool pending = among(l, problem_.axes) && !among(l, done);
      if (pending ? is_whole(here, l) : here.is_local(l)) {
        if (l != problem_.batch_axis && (!is_digit(l) || among(l, done) || takes_from_before(here, l))) {
          targets.push_back(l);
        }
      } else if (pending && in_turn(l, done) && (!real_pending(done) || l == problem_.real_axis())) {
        sources.push_back(l);
      }
    }
    if (targets.empty()) return stack_chain(s, here, sources, done, exchanges);
    const auto most = std::min({static_cast<std::size_t>(moves_), sources.size(), targets.size()});
    std::vector<int> chosen;
    choose(s, here, sources, 0, targets, chosen, most, here.chains(), done, exchanges);
  }

  /// Whether the first digit of an axis is split and this is the second: blocks of the whole axis, which the second
  /// must take over so that the first can be transformed.
  [[nodiscard]] bool takes_from_before(const distribution& here, int axis) const {
    return place_of_digit(problem_.digits, axis).digit == 1 && !here.is_local(axis - 1);
  }

  /// The splits of a digit go to a digit of the same axis, if one is done and whole, those of the first to the next
  /// one: other routes lead no further, and there are many.
  [[nodiscard]] bool suits(int source, int target, const std::vector<int>& targets,
                           const std::vector<int>& done) const {
    const auto waits = [&](int l) { return is_digit(l) && !among(l, done); };
    if (waits(target) || (is_digit(source) && place_of_digit(problem_.digits, source).digit == 0)) {
      return target == source + 1 && waits(target);
    }
    if (!is_digit(source)) return true;
    const auto same_axis = [&](int l) {
      return place_of_digit(problem_.digits, l).axis == place_of_digit(problem_.digits, source).axis;
    };
    return same_axis(target) || std::ranges::none_of(targets, same_axis);
  }

  /// What a chain becomes on another axis. Zig-zags would not have mirror images together there, whatever its extent,
  /// and plans take no such distributions; those of digits are made for both.
  [[nodiscard]] chain elsewhere(chain moved) const {
    for (auto& s : moved) {
      if (s.how == split::kind::zigzag && problem_.digits.empty()) s.how = split::kind::cyclic;
      if (s.how == split::kind::half_zigzag) s.how = split::kind::cyclic;
    }
    return moved;
  }

  /// Moves `most` of the sources' chains onto targets, in all ways.
  void choose(const schedule& s, const distribution& here, const std::vector<int>& sources, std::size_t next,
              const std::vector<int>& targets, std::vector<int>& chosen, std::size_t most, std::vector<chain> chains,
              const std::vector<int>& done, int exchanges) {
    if (chosen.size() == most) return go_to(s, {here.shape(), here.on(), std::move(chains)}, done, exchanges);
    for (std::size_t i = next; i < sources.size(); ++i) {
      for (const int target : targets) {
        if (enough()) return;
        if (among(target, chosen) || !suits(sources[i], target, targets, done)) continue;
        auto moved = chains;
        moved[static_cast<std::size_t>(target)] =
            elsewhere(std::exchange(moved[static_cast<std::size_t>(sources[i])], {}));
        chosen.push_back(target);
        choose(s, here, sources, i + 1, targets, chosen, most, std::move(moved), done, exchanges);
        chosen.pop_back();
      }
    }
  }

  /// No axis is whole: put one axis's chain inside another's.
  void stack_chain(const schedule& s, const distribution& here, const std::vector<int>& sources,
                   const std::vector<int>& done, int exchanges) {
    for (const int source : sources) {
      for (int target = 0; target < here.axes(); ++target) {
        if (target == source || target == problem_.batch_axis) continue;
        auto chains = here.chains();
        const chain freed = elsewhere(std::exchange(chains[static_cast<std::size_t>(source)], {}));
        auto& longer = chains[static_cast<std::size_t>(target)];
        longer.insert(longer.end(), freed.begin(), freed.end());
        go_to(s, {here.shape(), here.on(), std::move(chains)}, done, exchanges);
      }
    }
  }

  void go_to(schedule s, const distribution& next, const std::vector<int>& done, int exchanges) {
    s.stages.emplace_back(redistribute_stage{next});
    search(std::move(s), next, done, exchanges + 1);
  }

  const task& problem_;
  int moves_;
  extents after_;
  std::optional<distribution> out_;
  int fewest_ = most_exchanges;
  int least_ = 0;             // no schedule has fewer exchanges
  std::size_t shortest_ = 0;  // schedules found that have no more
  int visits_ = 0;
  std::vector<candidate> found_;
};

/// How many primes make up n, each as often as it divides n.
int prime_factors(int n) {
  int count = 0;
  for (int p = 2; n > 1; ++p) {
    for (; n % p == 0; n /= p) ++count;
  }
  return count;
}

}  // namespace

int distributed_axes(const distribution& d) {
  if (d.is_bricks()) return -1;
  int count = 0;
  for (int l = 0; l < d.axes(); ++l) count += d.is_local(l) ? 0 : 1;
  return count;
}

std::vector<schedule> transpositions(const task& problem, const distribution& start, int moves) {
  return route_search(problem, moves).from(start);
}

std::vector<schedule> transpose_between(const task& problem, int low, int high, int moves) {
  std::vector<schedule> all;
  int most = std::min(high, max_named_grid_axes);
  // Grids with more axes than the number of ranks has factors are smaller ones with axes of one point.
  if (!problem.in && !problem.on) most = std::min(most, std::max(low, prime_factors(problem.ranks)));
  for (int distributed = low; distributed <= most; ++distributed) {
    for (const auto& start : block_starts(problem, distributed)) {
      for (auto& s : transpositions(problem, start, moves)) all.push_back(std::move(s));
    }
  }
  return all;
}

}  // namespace weft::algorithm
